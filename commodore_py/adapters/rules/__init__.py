"""Run rules of the user in Lua, in a process of their own."""
