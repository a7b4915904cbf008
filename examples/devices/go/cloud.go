package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// refused: the cloud will never take this request.
type refused struct{ status int }

func (r refused) Error() string { return fmt.Sprint("the cloud refused it with ", r.status) }

// unauthorized: the cloud does not accept the key.
type unauthorized struct{}

func (unauthorized) Error() string { return "the cloud does not accept the key" }

// again: the same request may succeed later.
type again struct {
	reason string
	wait   time.Duration
}

func (a again) Error() string { return a.reason }

var client = &http.Client{
	Timeout: 6 * time.Minute, // longer than the cloud may hold its answer
	// the key must not travel to another address
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// retryAfter reads a number of seconds or a date; at most 15 minutes.
func retryAfter(value string) time.Duration {
	wait := time.Duration(0)
	if seconds, err := strconv.Atoi(value); err == nil {
		wait = time.Duration(seconds) * time.Second
	} else if date, err := http.ParseTime(value); err == nil {
		wait = time.Until(date)
	}
	if wait > 15*time.Minute {
		return 15 * time.Minute
	}
	return wait
}

// call makes one request and reads its answer, which must be JSON, into `answer`.
func call(method, path string, body io.Reader, size int64, headers map[string]string, answer any) (http.Header, error) {
	request, err := http.NewRequest(method, cloud+path, body)
	if err != nil {
		return nil, refused{0}
	}
	request.ContentLength = size
	request.GetBody = nil // a body that was sent in part is not sent again without the pause
	request.Header.Set("Authorization", "Bearer "+key)
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, again{reason: "no answer"} // the text of the error may hold what others sent
	}
	defer response.Body.Close()
	status := response.StatusCode
	switch {
	case status == 401:
		return nil, unauthorized{}
	case status >= 400 && status < 500 && status != 408 && status != 425 && status != 429:
		return nil, refused{status}
	case status < 200 || status > 299:
		return nil, again{fmt.Sprint("status ", status), retryAfter(response.Header.Get("Retry-After"))}
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, 16<<20))
	if err != nil || json.Unmarshal(text, answer) != nil {
		return nil, again{reason: "not the documented answer"}
	}
	return response.Header, nil
}

// list asks for what an older cloud lists.
func list(path string) ([]json.RawMessage, http.Header, error) {
	var answer struct{ Requests *[]json.RawMessage }
	header, err := call("GET", path, nil, 0, nil, &answer)
	if err == nil && answer.Requests == nil {
		err = again{reason: "not the documented answer"}
	}
	if err != nil {
		return nil, header, err
	}
	return *answer.Requests, header, nil
}

func sendJSON(method, path string, value, answer any) (http.Header, error) {
	body, err := json.Marshal(value)
	if err != nil {
		return nil, refused{0}
	}
	return sendBytes(method, path, body, map[string]string{"Content-Type": "application/json"}, answer)
}

func sendBytes(method, path string, body []byte, headers map[string]string, answer any) (http.Header, error) {
	return call(method, path, bytes.NewReader(body), int64(len(body)), headers, answer)
}
