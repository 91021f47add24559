-- The requests of wrk to the example server: games, mixed with malformed and oversized requests.
local json = {["Content-Type"] = "application/json"}
local games = {}
math.randomseed(7)

local function pick(list) return list[math.random(#list)] end

local broken = {
  "GET / HTTP/1.1\r\n\r\n",
  "nonsense\r\n\r\n",
  "GET /\1 HTTP/1.1\r\nHost: a\r\n\r\n",
  "POST /api/games HTTP/1.1\r\nHost: a\r\nContent-Length: 999999\r\n\r\n",
  "POST /api/games HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
  "POST /api/games HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  "POST /api/games HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 3\r\n\r\n{{{",
  "GET / HTTP/1.1\r\nHost: a\r\nLong: " .. string.rep("x", 10000) .. "\r\n\r\n",
  "GET /" .. string.rep("y", 1000) .. " HTTP/1.1\r\nHost: a\r\n\r\n",
}

function request()
  local kind = math.random(100)
  if kind <= 8 then return pick(broken) end
  if kind <= 12 then return wrk.format("POST", "/api/games", json, string.rep("z", 20000)) end
  if kind <= 16 then return wrk.format("GET", "/") end
  if kind <= 20 then return wrk.format("GET", "/api/metrics") end
  if #games == 0 or kind <= 30 then
    return wrk.format("POST", "/api/games", json, '{"game":"' .. pick({"connect_four", "backgammon"}) .. '"}')
  end
  local game = "/api/games/" .. pick(games)
  if kind <= 35 then return wrk.format("DELETE", game) end
  if kind <= 45 then return wrk.format("GET", game) end
  if kind <= 55 then return wrk.format("POST", game .. "/move", json, '{"move":"' .. math.random(7) .. '"}') end
  if kind <= 60 then return wrk.format("POST", game .. "/analyse", json, '{"visits":100}') end
  return wrk.format("POST", game .. "/move", json, '{"visits":20}')
end

function response(status, _, body)
  if status ~= 201 then return end
  if #games >= 40 then table.remove(games, math.random(#games)) end
  local id = body:match('"id":"(%x+)"')
  if id then games[#games + 1] = id end
end
