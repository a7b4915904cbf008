// A device agent on Go's standard library. README.md says how to run it.
package main

import (
	"fmt"
	"math"
	"math/rand"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

var (
	cloud    = strings.TrimRight(os.Getenv("CLOUD_URL"), "/")
	key      = os.Getenv("DEVICE_API_KEY")
	root     string              // nothing outside this folder is found or uploaded
	interval = 30 * time.Second  // between requests that are not held
	known    = map[string]bool{} // ids of requests that were taken
	jobs     []*job
)

// A job is something to do, once or again and again, with pauses of its own after failures.
type job struct {
	name     string
	id       string // of the request from the cloud
	work     func() error
	every    time.Duration // 0 for a job that is done once
	due      time.Time
	failures int
}

func addJob(name, id string, every time.Duration, work func() error) *job {
	added := &job{name: name, id: id, work: work, every: every, due: time.Now()}
	jobs = append(jobs, added)
	return added
}

func remove(gone *job) {
	for at := range jobs {
		if jobs[at] == gone {
			jobs = append(jobs[:at], jobs[at+1:]...)
			return
		}
	}
}

// The pause grows from a sixth of the interval to four intervals, and is random, so that a fleet does not return at once.
func pauseOf(failures int) time.Duration {
	pause := math.Min(float64(interval)/6*math.Pow(2, float64(failures-1)), float64(interval)*4)
	return time.Duration(pause * (1 + rand.Float64()/2))
}

func longer(a, b time.Duration) time.Duration {
	if a > b {
		return a
	}
	return b
}

// run runs a job; it gives false if the job is done.
func run(j *job, refusals *int) bool {
	err := j.work()
	if err == nil {
		j.failures, *refusals = 0, 0
	} else {
		fmt.Println(j.name+":", err)
	}
	switch failure := err.(type) {
	case again:
		j.failures++
		j.due = time.Now().Add(longer(pauseOf(j.failures), failure.wait))
		return true
	case unauthorized: // somebody deleted the device or changed its key: be quiet, and work again if the key does
		time.Sleep(time.Duration(math.Min(1800, 300*math.Pow(2, float64(*refusals)))) * time.Second)
		*refusals++
		return true
	}
	j.due = time.Now().Add(j.every)
	return j.every > 0
}

func main() {
	var err error
	if root, err = filepath.EvalSymlinks(os.Getenv("DEVICE_ROOT")); err == nil {
		root, err = filepath.Abs(root)
	}
	if err != nil || cloud == "" || key == "" {
		fmt.Fprintln(os.Stderr, "Starting failed: set CLOUD_URL, DEVICE_API_KEY and DEVICE_ROOT, which must be a folder.")
		os.Exit(2)
	}
	if ms, err := strconv.Atoi(os.Getenv("DEVICE_INTERVAL_MS")); err == nil {
		interval = time.Duration(ms) * time.Millisecond
	}
	rand.Seed(time.Now().UnixNano())
	asking := addJob("work", "", interval, nil)
	asking.work = func() error { return askForWork(asking) }
	refusals := 0
	for {
		first := 0
		for at := range jobs {
			if jobs[at].due.Before(jobs[first].due) {
				first = at
			}
		}
		next := jobs[first]
		time.Sleep(time.Until(next.due))
		if !run(next, &refusals) {
			remove(next)
		}
	}
}
