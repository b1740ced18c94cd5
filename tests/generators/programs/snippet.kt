val created = GamesApi(url).createGame(
    CreateGame(players = listOf(SeatRequest(name = "Ana"), SeatRequest(bot = "greedy"))),
    include = Include.legal_moves,
    idempotencyKey = gameKey,
)
val playing = PlayingApi(url)
playing.accessTokenProvider = { created.seats[0].token }  // ApiClient.accessToken would be that of all games
val legal = created.legalMoves!!
val acted = playing.act(
    created.game.id,
    Act(move = legal.moves[0].id),
    ifMatch = "\"${legal.version}-${legal.digest}\"",
    idempotencyKey = moveKey,
)
