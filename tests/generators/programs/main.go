// Plays a game with the client that openapi-generator makes for Go: `go run . URL`.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	southseas "example.org/southseas"
)

type result struct {
	ID       string  `json:"id"`
	Version  int32   `json:"version"`
	Totals   []int32 `json:"totals"`
	Events   int     `json:"events"`
	Segments int     `json:"segments"`
	Picture  string  `json:"picture"`
}

func main() {
	played, err := play(os.Args[1])
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(played)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func play(url string) (*result, error) {
	configuration := southseas.NewConfiguration()
	configuration.Servers = southseas.ServerConfigurations{{URL: url}}
	client := southseas.NewAPIClient(configuration)
	ctx := context.Background()

	ana, bot := southseas.NewSeatRequest(), southseas.NewSeatRequest()
	ana.SetName("Ana")
	bot.SetBot("random")
	request := southseas.NewCreateGame([]southseas.SeatRequest{*ana, *bot})
	created, _, err := client.GamesAPI.CreateGame(ctx).CreateGame(*request).Include(southseas.INCLUDE_LEGAL_MOVES).Execute()
	if err != nil {
		return nil, err
	}
	id := created.Game.Id
	seat := context.WithValue(ctx, southseas.ContextAccessToken, created.Seats[0].Token)

	legal := created.GetLegalMoves()
	for turn := 0; len(legal.Moves) > 0; turn++ {
		act, err := chooseAct(legal.Moves[turn%len(legal.Moves)], turn%3 == 0)
		if err != nil {
			return nil, err
		}
		acted, _, err := client.PlayingAPI.Act(seat, id).Act(*act).Include(southseas.INCLUDE_LEGAL_MOVES).Execute()
		if err != nil {
			return nil, err
		}
		legal = acted.GetLegalMoves()
	}
	return describe(ctx, client, id)
}

// chooseAct sends a move as its action, or as its id.
func chooseAct(move southseas.Move, asAction bool) (*southseas.Act, error) {
	act := southseas.NewAct()
	if !asAction {
		act.SetMove(move.Id)
		return act, nil
	}
	encoded, err := json.Marshal(move.Action)
	if err != nil {
		return nil, err
	}
	var action southseas.ActionRequest
	if err := json.Unmarshal(encoded, &action); err != nil {
		return nil, err
	}
	act.SetAction(action)
	return act, nil
}

func describe(ctx context.Context, client *southseas.APIClient, id string) (*result, error) {
	game, _, err := client.GamesAPI.ReadGame(ctx, id).Execute()
	if err != nil {
		return nil, err
	}
	log, _, err := client.PlayingAPI.ReadDiffs(ctx, id).Limit(1000).Execute()
	if err != nil {
		return nil, err
	}
	tileSet, _, err := client.TileSetsAPI.ReadTileSet(ctx, game.Tileset).Execute()
	if err != nil {
		return nil, err
	}
	picture, _, err := client.PlayingAPI.ReadBoardPng(ctx, id).Width(200).Side(true).Execute()
	if err != nil {
		return nil, err
	}
	head := make([]byte, 4)
	if _, err := io.ReadFull(picture, head); err != nil {
		return nil, err
	}
	played := &result{ID: game.Id, Version: game.Version, Picture: fmt.Sprintf("%x", head)}
	final := game.GetResult()
	for _, score := range final.Scores {
		played.Totals = append(played.Totals, score.Total)
	}
	for _, diff := range log.Diffs {
		played.Events += len(diff.Events)
	}
	for _, tile := range tileSet.Tiles {
		played.Segments += len(tile.Segments)
	}
	return played, nil
}
