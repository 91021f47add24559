// The client of the server's API.
const api = {
  async call(method, path, body) {
    for (let attempt = 0; ; ++attempt) {
      const answer = await fetch("/api" + path, {
        method,
        headers: body ? {"Content-Type": "application/json"} : {},
        body: body && JSON.stringify(body),
      });
      const content = await answer.json();
      if (answer.ok) return content;
      const {status, reason} = content.error;
      // The server is busy or limits our rate, or the game is busy, as with a page that was reloaded: retry.
      const isBusy = status === 503 || status === 429 || (status === 409 && method === "GET");
      if (isBusy && attempt < 4) {
        await new Promise((wake) => setTimeout(wake, 300 * 2 ** attempt));
        continue;
      }
      throw Object.assign(new Error(reason), {status});
    }
  },
  about: () => api.call("GET", ""),
  newGame: (game, position) => api.call("POST", "/games", {game, position}),
  state: (id) => api.call("GET", `/games/${id}`),
  play: (id, ply, move) => api.call("POST", `/games/${id}/move`, {move, ply}),
  reply: (id, ply, effort) => api.call("POST", `/games/${id}/move`, {...effort, ply}),
  analyse: (id, effort) => api.call("POST", `/games/${id}/analyse`, effort),
  undo: (id, ply) => api.call("POST", `/games/${id}/undo`, {ply}),
  resign: (id, player) => api.call("POST", `/games/${id}/resign`, {player}),
  close: (id) => api.call("DELETE", `/games/${id}`),
};
