#!/usr/bin/env lua
-- A store.  if x ~= nil then x:close() end is not code here.
local io = require "io"
local path = require("path")

local Store = { limit = 10, name = "größe", [1] = true; "last", }
Store.__index = Store

--[[ Store.new("a")
]]
function Store.new(name, ...)
  local self = setmetatable({}, Store)
  self.name = name or "none"
  self.rest = { ... }
  return self, #self.rest
end

function Store:close(other)
  if self.handle ~= nil then self.handle:close() end
  if other ~= nil then
    other:close()
  end
  -- The guard that closes something else.
  if other ~= nil then self.handle:close() end
end

local function sum(list, start)
  local total <const> = start
  local count, text = 0, [[sum(list, 1)]]
  for i = 1, #list do
    count = count + list[i]
  end
  for key, value in pairs(list) do print(key .. " = " .. value); end
  while count > 10 do count = count - 1 end
  repeat count = count + 1 until count == count
  if count == 1 then
    return count
  elseif count ~= 2 and not text then
    goto done
  else
    count = count * 2
  end
  ::done::
  return count, total, text
end

local M = {}
M.apply = function(f, x) return f(x) end
M.noop = function() end
M.run = function()
  local ok, err = pcall(function()
    assert(io.open(path.join("a", "b.txt")), 'sum(list, 1)')
  end)
  if not ok then error(err) end
  return M.apply(sum, { 1, 2, 3, }), Store.new{ "x" }
end

return M
