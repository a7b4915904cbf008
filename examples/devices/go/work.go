package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"time"
)

// hold is for how long the cloud may hold the request for all work.
var hold = 270 * time.Second

func facts() map[string]any {
	return map[string]any{"os": runtime.GOOS, "version": runtime.Version(), "hardware": runtime.GOARCH,
		"scopes": []any{map[string]string{"name": "files"}}}
}

// first gives the rows of a list that are read at once.
func first(rows []json.RawMessage) []json.RawMessage {
	if len(rows) > 100 {
		return rows[:100]
	}
	return rows
}

// askForWork asks for everything that waits, and is the heartbeat. It says in `j` when it comes again.
func askForWork(j *job) error {
	working, wait := []string{}, hold
	for _, other := range jobs {
		if other.id != "" { // to be sent again later
			working = append(working, other.id)
			if left := time.Until(other.due); left < wait {
				wait = left
			}
		}
	}
	if wait < time.Second {
		j.every = longer(wait, 100*time.Millisecond)
		return nil
	}
	body, _ := json.Marshal(map[string]any{"metadata": facts(), "working": working})
	headers := map[string]string{"Content-Type": "application/json", "Prefer": fmt.Sprint("wait=", int(wait.Seconds()))}
	var answer struct{ Searches, Uploads *[]json.RawMessage }
	asked := time.Now()
	header, err := sendBytes("POST", "/api/devices/work", body, headers, &answer)
	if err == nil && (answer.Searches == nil || answer.Uploads == nil) {
		err = again{reason: "not the documented answer"}
	}
	if failure, isRefused := err.(refused); isRefused && (failure.status == 404 || failure.status == 405) {
		j.every = time.Hour // an older cloud has heartbeats and two lists; it may be updated meanwhile
		startPolls()
		return nil
	}
	if err != nil {
		if time.Since(asked) > 50*time.Second {
			hold = 50 * time.Second // something on the way ends quiet connections
		}
		return err
	}
	stopPolls()
	taken := takeSearches(*answer.Searches) + takeUploads(*answer.Uploads, header)
	j.every = interval
	if taken > 0 || time.Since(asked) >= wait/2 {
		j.every = time.Millisecond
	}
	return nil
}

var polls []*job

func startPolls() {
	if len(polls) > 0 {
		return
	}
	polls = []*job{
		addJob("heartbeat", "", interval, heartbeat),
		addJob("searches", "", interval, func() error {
			rows, _, err := list("/api/devices/search/pending")
			takeSearches(rows)
			return err
		}),
		addJob("uploads", "", interval, func() error {
			rows, header, err := list("/api/devices/files/upload-requests/pending")
			takeUploads(rows, header)
			return err
		}),
	}
}

func stopPolls() {
	for _, poll := range polls {
		remove(poll)
	}
	polls = nil
}

func heartbeat() error {
	var answer struct {
		Success *bool
		Status  string
	}
	_, err := sendJSON("POST", "/api/devices/heartbeat", map[string]any{"metadata": facts()}, &answer)
	if err == nil && (answer.Success == nil || answer.Status == "") {
		return again{reason: "not the documented answer"}
	}
	return err
}
