-- Returns a function that runs the script of a rule: with few libraries, a number of steps, and nothing of Python.
local load, pcall, type, tostring, error = load, pcall, type, tostring, error
local sethook, set_metatable = debug.sethook, debug.setmetatable
local clock, date, pack, replace = os.time, os.date, table.pack, string.gsub
local all = _G

local function libraries(open, printed)
  local string_library, math_library = all.string, all.math
  local known = {
    assert = assert, error = error, getmetatable = getmetatable, ipairs = ipairs, next = next,
    pairs = pairs, pcall = pcall, rawequal = rawequal, rawget = rawget, rawset = rawset,
    select = select, setmetatable = setmetatable, tonumber = tonumber, tostring = tostring,
    type = type, unpack = table.unpack, xpcall = xpcall, _VERSION = "Lua 5.1",
    table = {
      concat = table.concat, insert = table.insert, maxn = table.maxn, remove = table.remove,
      sort = table.sort, getn = function(list) return #list end, unpack = table.unpack,
    },
    os = {
      time = clock,
      date = function(form, when)
        local text = replace(form or "%c", "^!", "")
        return date("!" .. text, when)
      end,
    },
    print = function(...)
      local words = pack(...)
      for at = 1, words.n do words[at] = tostring(words[at]) end
      if #printed < 100 then printed[#printed + 1] = table.concat(words, "\t") end
    end,
  }
  known._G = known
  local system = known.os
  known.require = function(name)
    if name == "os" then return system end
    error("module '" .. tostring(name) .. "' is not available", 2)
  end
  if open then
    string_library.dump = nil
    known.string, known.math = string_library, math_library
  else
    set_metatable("", nil)
  end
  return known
end

return function(script, obj, open, steps)
  local printed = {}
  local environment = libraries(open, printed)
  environment.obj = obj
  local chunk, problem = load(script, "=rule", "t", environment)
  if not chunk then return "error", problem, printed end
  local function stop()
    sethook(stop, "", 1)
    error("it took more than " .. steps .. " steps", 0)
  end
  sethook(stop, "", steps)
  local found = pack(pcall(chunk))
  sethook()
  if not found[1] then
    local reason = found[2]
    if type(reason) ~= "string" then reason = "error of type " .. type(reason) end
    return "error", reason, printed
  end
  local value = nil
  if found.n > 1 then value = found[found.n] end
  if value ~= nil and type(value) ~= "table" then
    return "error", "it returned a " .. type(value) .. ", not a table", printed
  end
  return "table", value, printed
end
