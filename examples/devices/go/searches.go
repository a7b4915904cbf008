package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	maxRows   = 1000
	maxReport = 4 << 20
)

type search struct {
	ID    *string
	Query *string
	Scope *[]string
}

type foundFile struct {
	Path     string `json:"path"`
	Name     string `json:"name"`
	Size     int64  `json:"size"`
	Modified string `json:"modified"`
}

// takeSearches adds a job for each search that is new. A row of another form than the documented one is left alone.
func takeSearches(rows []json.RawMessage) (taken int) {
	for _, row := range first(rows) {
		var one search
		if json.Unmarshal(row, &one) != nil || one.ID == nil || one.Query == nil || one.Scope == nil || known[*one.ID] {
			continue
		}
		known[*one.ID] = true
		var report []byte
		addJob("search", *one.ID, 0, func() error {
			if report == nil {
				report = reportOf(one)
			}
			return sendReport(*one.ID, report)
		})
		taken++
	}
	return taken
}

// findFiles gives regular files below the root whose names hold the words, and how many folders cannot be read; it follows no links.
func findFiles(query string) (rows []foundFile, unread int) {
	words := strings.ToLower(strings.TrimSpace(query))
	filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if len(rows) > maxRows {
			return filepath.SkipDir
		}
		if err != nil {
			unread++
			return nil
		}
		if !entry.Type().IsRegular() || !strings.Contains(strings.ToLower(entry.Name()), words) {
			return nil
		}
		if info, err := entry.Info(); err == nil {
			modified := info.ModTime().UTC().Format(time.RFC3339Nano)
			rows = append(rows, foundFile{path, entry.Name(), info.Size(), modified})
		}
		return nil
	})
	return rows, unread
}

// reportOf runs a search and gives its report as bytes: every attempt sends the same ones. JSON makes names valid UTF-8.
func reportOf(one search) []byte {
	missing, results, rows, isCut := []string{}, map[string]any{}, []foundFile{}, false
	for _, scope := range *one.Scope {
		if scope != "files" {
			missing = append(missing, scope)
		} else {
			found, unread := findFiles(*one.Query)
			rows = append(rows, found...)
			results["files"] = rows
			if facts, err := os.Stat(root); err != nil || !facts.IsDir() {
				missing = append(missing, "files, the shared folder is not there")
			} else if unread > 0 { // an empty answer would say that nothing is there
				results["unread"] = []map[string]any{{"scope": "files", "reason": "denied", "count": unread}}
			}
		}
	}
	var failure *string
	if len(missing) > 0 {
		text := "not provided: " + strings.Join(missing, ", ")
		failure = &text
	}
	if len(rows) > maxRows {
		rows, isCut = rows[:maxRows], true
	}
	for {
		if isCut {
			results["files"], results["truncated"] = rows, map[string]bool{"files": true}
		}
		report, err := json.Marshal(map[string]any{"queryId": *one.ID, "results": results, "error": failure})
		if err == nil && len(report) <= maxReport {
			return report
		}
		rows, isCut = rows[:len(rows)/2], true
	}
}

func sendReport(id string, report []byte) error {
	time.Sleep(100 * time.Millisecond) // at most 10 reports a second
	var answer struct {
		Success *bool
		QueryID string `json:"queryId"`
	}
	_, err := sendBytes("POST", "/api/devices/search", report, map[string]string{"Content-Type": "application/json"}, &answer)
	if err == nil && (answer.Success == nil || answer.QueryID != id) {
		return again{reason: "not the documented answer"}
	}
	return err
}
