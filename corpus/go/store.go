// Package store keeps items. f.Close() in a comment is no call.
package store

import (
	"errors"
	"fmt"
	str "strings"
)

const (
	low = iota
	high
)

var limits = map[string]int{"eins": 1, "zwei": 2}

// Item is one row.
type Item struct {
	Name  string `json:"name"`
	Count int
	*Base
}

type Visitor interface {
	Visit(item *Item) error
	fmt.Stringer
}

type Number interface{ ~int | ~float64 }

func Largest[T Number](a, b T) T {
	if a > b {
		return a
	}
	return b
}

func (s *Store) Close() error {
	if s.file != nil {
		s.file.Close()
	}
	if s.file != nil {
		s.other.Close()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	go s.flush(/* later */)
	return nil
}

func load(path string, rest ...int) (int, error) {
	f, err := open(path)
	if err != nil {
		return 0, fmt.Errorf("open %s: %w", path, err)
	}
	defer f.Close()
	for i := 0; i < len(rest); i++ {
		rest[i] += i
	}
	for _, r := range rest {
		fmt.Println("f.Close()", r)
	}
	switch n := len(rest); n {
	case 0, 1:
		return n, nil
	default:
		fmt.Printf(`größer %d`, rest...)
	}
	switch v := any(f).(type) {
	case *Item:
		v.Count++
	case nil:
		return 0, errors.New("nil")
	}
	select {
	case item := <-queue:
		done <- item
	case <-stop:
	}
	if name, ok := f.(Named); ok && name == name {
		str.ToUpper(name.Name())
	}
	item := &Item{
		Name:  "x",
		Count: low * 2,
	}
	twice := func(x int) int { return x * 2 }
	return twice(item.Count), nil
}
