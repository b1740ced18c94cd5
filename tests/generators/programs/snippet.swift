let server = OpenAPIClientAPIConfiguration(basePath: url)
let players = [SeatRequest(name: "Ana"), SeatRequest(bot: "greedy")]
let created = try await GamesAPI.createGame(
    createGame: CreateGame(players: players), include: .legalMoves, idempotencyKey: gameKey, apiConfiguration: server)
let headers = ["Authorization": "Bearer \(created.seats[0].token)"]
let seat = OpenAPIClientAPIConfiguration(basePath: url, customHeaders: headers)
let legal = created.legalMoves!
let acted = try await PlayingAPI.act(
    id: created.game.id, act: Act(move: legal.moves[0].id),
    ifMatch: "\"\(legal.version)-\(legal.digest)\"", idempotencyKey: moveKey, apiConfiguration: seat)
