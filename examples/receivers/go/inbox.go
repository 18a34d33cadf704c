package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"sync"
)

// inbox keeps what came under its webhook-id before it is answered, so that a repeat changes nothing and a crash loses
// nothing. A directory of files, so that the example runs by itself: yours is a table with the id as its primary key.
type inbox struct {
	dir     string
	working sync.Mutex
	files   sync.Mutex
}

func openInbox(dir string) (*inbox, error) {
	for _, part := range []string{"new", "done", "half"} {
		if err := os.MkdirAll(filepath.Join(dir, part), 0o700); err != nil {
			return nil, err
		}
	}
	return &inbox{dir: dir}, nil
}

// keep keeps an event. Of a repeat the id is there already.
func (in *inbox) keep(id string, body []byte) error {
	name := filepath.Base(id)
	half, err := os.CreateTemp(filepath.Join(in.dir, "half"), "")
	if err != nil {
		return err
	}
	defer os.Remove(half.Name())
	if _, err := half.Write(body); err != nil {
		return err
	}
	if err := errors.Join(half.Sync(), half.Close()); err != nil {
		return err
	}
	in.files.Lock()
	defer in.files.Unlock()
	if _, err := os.Stat(filepath.Join(in.dir, "done", name)); err == nil {
		return nil
	}
	// A link is there whole or not at all, and only once.
	if err := os.Link(half.Name(), filepath.Join(in.dir, "new", name)); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// workOff handles what is kept and not done. What fails stays, and is tried again the next time.
func (in *inbox) workOff(handle func(event) error) {
	in.working.Lock()
	defer in.working.Unlock()
	entries, err := os.ReadDir(filepath.Join(in.dir, "new"))
	if err != nil {
		log.Print(err)
		return
	}
	for _, entry := range entries {
		if err := in.workOffOne(entry.Name(), handle); err != nil {
			log.Print(entry.Name(), ": ", err)
		}
	}
}

func (in *inbox) workOffOne(name string, handle func(event) error) error {
	body, err := os.ReadFile(filepath.Join(in.dir, "new", name))
	if err != nil {
		return err
	}
	var came event
	if err := json.Unmarshal(body, &came); err != nil {
		return err
	}
	if err := handle(came); err != nil {
		return err
	}
	in.files.Lock()
	defer in.files.Unlock()
	return os.Rename(filepath.Join(in.dir, "new", name), filepath.Join(in.dir, "done", name))
}
