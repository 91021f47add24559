// The client of the server's API.
const pause = (milliseconds) => new Promise((wake) => setTimeout(wake, milliseconds));

/** `status` is 0 if the server cannot be reached. */
class ServerError extends Error {
  constructor(status, reason) {
    super(reason);
    this.status = status;
  }
  /** Whether the same request may succeed later. */
  get isTemporary() {
    return [0, 409, 429, 503].includes(this.status);
  }
}

const api = {
  async send(method, path, body) {
    try {
      const answer = await fetch("/api" + path, {
        method,
        headers: body ? {"Content-Type": "application/json"} : {},
        body: body && JSON.stringify(body),
      });
      return {isOk: answer.ok, content: await answer.json()};
    } catch {
      throw new ServerError(0, "The server cannot be reached");
    }
  },
  async call(method, path, body, attempts = 5) {
    for (let attempt = 1; ; ++attempt) {
      const {isOk, content} = await api.send(method, path, body);
      if (isOk) return content;
      const {status, reason} = content.error;
      // The server is busy or limits our rate, or the game is busy, as with a page that was reloaded: retry.
      const isBusy = status === 503 || status === 429 || (status === 409 && method === "GET");
      if (!isBusy || attempt >= attempts) throw new ServerError(status, reason);
      await pause(150 * 2 ** attempt);
    }
  },
  about: () => api.call("GET", ""),
  newGame: (game, position, attempts) => api.call("POST", "/games", {game, position}, attempts),
  state: (id) => api.call("GET", `/games/${id}`),
  play: (id, ply, move) => api.call("POST", `/games/${id}/move`, {move, ply}),
  reply: (id, ply, effort) => api.call("POST", `/games/${id}/move`, {...effort, ply}),
  analyse: (id, effort) => api.call("POST", `/games/${id}/analyse`, effort),
  undo: (id, ply) => api.call("POST", `/games/${id}/undo`, {ply}),
  resign: (id, player) => api.call("POST", `/games/${id}/resign`, {player}),
  close: (id) => api.call("DELETE", `/games/${id}`),
};
