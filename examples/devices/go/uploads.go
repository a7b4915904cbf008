package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const maxUpload = 100 << 20

type uploadRequest struct {
	ID       *string
	FilePath *string
}

// takeUploads adds a job for each requested file that is new.
func takeUploads(rows []json.RawMessage, header http.Header) (taken int) {
	offered, _ := strconv.ParseInt(header.Get("Upload-Chunk-Bytes"), 10, 64)
	for _, row := range first(rows) {
		var one uploadRequest
		if json.Unmarshal(row, &one) != nil || one.ID == nil || one.FilePath == nil || known[*one.ID] {
			continue
		}
		known[*one.ID] = true
		addJob("upload", *one.ID, 0, func() error { return upload(*one.ID, *one.FilePath, offered) })
		taken++
	}
	return taken
}

// openFile opens a regular file inside the root; the error is for the user.
func openFile(path string) (*os.File, int64, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(root, path)
	}
	real, err := filepath.EvalSymlinks(path) // so that what is compared is what is opened
	if err != nil {
		return nil, 0, errors.New("the file cannot be found")
	}
	if !strings.HasPrefix(real, strings.TrimRight(root, "/")+"/") {
		return nil, 0, errors.New("policy_denied: the file lies outside of the shared folder")
	}
	file, err := os.OpenFile(real, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe must not hold up the agent
	if err != nil {
		return nil, 0, errors.New("the file cannot be opened")
	}
	info, err := file.Stat()
	if err == nil && info.Mode().IsRegular() && info.Size() <= maxUpload {
		return file, info.Size(), nil
	}
	file.Close()
	if err == nil && info.Mode().IsRegular() {
		return nil, 0, errors.New("policy_denied: the file is too large")
	}
	return nil, 0, errors.New("this is not a regular file")
}

func upload(id, path string, offered int64) error {
	file, size, err := openFile(path)
	if err != nil {
		return sendForm(id, nil, 0, "", err.Error())
	}
	defer file.Close()
	name := strings.ToValidUTF8(filepath.Base(file.Name()), "_")
	if offered > 0 && size > offered {
		isDone, err := sendChunks(id, file, size, name, offered)
		if isDone || err != nil {
			return err
		}
	}
	err = sendForm(id, file, size, name, "")
	if err == (refused{413}) {
		return sendForm(id, nil, 0, "", "the file is larger than the cloud accepts")
	}
	return err
}

// sendForm sends a file, or the reason why there is none. A file that is shorter now breaks the attempt off.
func sendForm(id string, file io.ReaderAt, size int64, name, failure string) error {
	time.Sleep(200 * time.Millisecond) // at most 5 files a second
	head := &bytes.Buffer{}
	form := multipart.NewWriter(head)
	form.WriteField("requestId", id)
	body := io.Reader(head)
	if file == nil {
		form.WriteField("error", failure)
		form.Close()
		size = int64(head.Len())
	} else {
		form.CreateFormFile("file", strings.NewReplacer("\r", "_", "\n", "_").Replace(name))
		tail := fmt.Sprintf("\r\n--%s--\r\n", form.Boundary())
		body = io.MultiReader(head, io.NewSectionReader(file, 0, size), strings.NewReader(tail))
		size += int64(head.Len() + len(tail))
	}
	var answer struct{ Success *bool }
	_, err := call("POST", "/api/devices/files/upload", body, size, map[string]string{"Content-Type": form.FormDataContentType()}, &answer)
	if err == nil && answer.Success == nil {
		return again{reason: "not the documented answer"}
	}
	return err
}

// sendChunks sends what the cloud does not have of a file; it gives false where the cloud takes a form only.
func sendChunks(id string, file io.ReaderAt, size int64, name string, offered int64) (bool, error) {
	if offered < 65536 {
		offered = 65536
	}
	if least := (size + 999) / 1000; offered < least {
		offered = least
	}
	digests := []string{}
	for at := int64(0); at < size; at += offered {
		bytes, err := io.ReadAll(io.NewSectionReader(file, at, offered))
		if err != nil {
			return false, again{reason: "the file cannot be read"}
		}
		digest := sha256.Sum256(bytes)
		digests = append(digests, base64.StdEncoding.EncodeToString(digest[:]))
	}
	plan := map[string]any{"fileName": name, "size": size, "chunkBytes": offered, "digests": digests}
	for round := 0; round < 3; round++ {
		err := sendMissing("/api/devices/files/uploads/"+id, plan, file, digests, offered)
		var refusal refused
		switch {
		case err == nil:
			return true, nil
		case !errors.As(err, &refusal):
			return false, err
		case refusal.status != 409: // 409: chunks are missing after all
			return false, nil
		}
	}
	return false, nil
}

func sendMissing(path string, plan map[string]any, file io.ReaderAt, digests []string, chunkBytes int64) error {
	var progress struct {
		Received []int
		Settled  *bool
	}
	if _, err := sendJSON("PUT", path, plan, &progress); err != nil {
		return err
	}
	if progress.Settled == nil {
		return again{reason: "not the documented answer"}
	}
	isThere := map[int]bool{}
	for _, index := range progress.Received {
		isThere[index] = true
	}
	var answer struct{ Success *bool }
	for index, digest := range digests {
		if isThere[index] || *progress.Settled {
			continue
		}
		time.Sleep(50 * time.Millisecond) // at most 20 chunks a second
		bytes, _ := io.ReadAll(io.NewSectionReader(file, int64(index)*chunkBytes, chunkBytes))
		headers := map[string]string{"Content-Type": "application/octet-stream", "Content-Digest": "sha-256=:" + digest + ":"}
		if _, err := sendBytes("PUT", fmt.Sprint(path, "/chunks/", index), bytes, headers, &answer); err != nil {
			return err
		}
	}
	_, err := sendBytes("POST", path+"/complete", nil, nil, &answer)
	return err
}
