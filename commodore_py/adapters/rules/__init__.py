"""Run rules of the user, in Lua and jq, in processes of their own."""
