// Command bench is a loop of another library as a yardstick: the ReAct agent of eino, which keeps
// nothing, against the model that the benchmark of a turn serves (cmd/shelly/internal/turncost).
// It is a module of its own, so that shelly does not depend on what it is measured against.
//
// It takes one line of its input at a time, "MODEL SESSIONS TURNS", has that many sessions take
// their share of the turns at once, and prints the nanoseconds by the clock and of the processor
// that this took. MODEL is ollama or openai: the client by which the model is asked.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/cloudwego/eino-ext/components/model/openai"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/components/tool/utils"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/flow/agent/react"
	"github.com/cloudwego/eino/schema"
)

// The model of the benchmark, and the answer that each of its turns ends with.
const (
	modelName = "instant:latest"
	answer    = "There is one file."
)

// idleConnections is how many connections are kept, so that no session opens one for each call.
const idleConnections = 256

func main() {
	url := flag.String("url", "", "where the model is")
	folder := flag.String("folder", ".", "the folder that the tool lists")
	flag.Parse()
	if err := serve(*url, *folder); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve takes turns as its input says, until that ends.
func serve(url, folder string) error {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: idleConnections}}
	agents, err := agentsOf(client, url, folder)
	if err != nil {
		return err
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var name string
		var sessions, turns int
		if _, err := fmt.Sscan(lines.Text(), &name, &sessions, &turns); err != nil {
			return fmt.Errorf("read %q: %w", lines.Text(), err)
		}
		agent := agents[name]
		if agent == nil {
			return fmt.Errorf("there is no model %q", name)
		}
		took, cpu, err := together(agent, sessions, turns)
		if err != nil {
			return err
		}
		fmt.Println(took.Nanoseconds(), cpu.Nanoseconds())
	}
	return nil
}

// agentsOf returns an agent for each client of the model.
func agentsOf(client *http.Client, url, folder string) (map[string]*react.Agent, error) {
	ollama, err := ollamaModel(client, url)
	if err != nil {
		return nil, err
	}
	other, err := openai.NewChatModel(context.Background(), &openai.ChatModelConfig{
		APIKey: "none", BaseURL: url + "/v1", Model: modelName, HTTPClient: client,
	})
	if err != nil {
		return nil, err
	}
	agents := map[string]*react.Agent{}
	for name, m := range map[string]model.ToolCallingChatModel{"ollama": ollama, "openai": other} {
		if agents[name], err = agentOf(m, folder); err != nil {
			return nil, err
		}
	}
	return agents, nil
}

// listing is the arguments of the tool.
type listing struct {
	Path string `json:"path" jsonschema:"description=the folder"`
}

func agentOf(m model.ToolCallingChatModel, folder string) (*react.Agent, error) {
	list, err := utils.InferTool("list_dir", "List a folder.", func(_ context.Context, in listing) (string, error) {
		return listFolder(folder + "/" + in.Path)
	})
	if err != nil {
		return nil, err
	}
	return react.NewAgent(context.Background(), &react.AgentConfig{
		ToolCallingModel: m, ToolsConfig: compose.ToolsNodeConfig{Tools: []tool.BaseTool{list}},
	})
}

func listFolder(path string) (string, error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%s  %d bytes\n", e.Name(), info.Size())
	}
	return b.String(), nil
}

// together lets sessions take turns at once, each its share, one after the other.
func together(agent *react.Agent, sessions, turns int) (took, cpu time.Duration, err error) {
	failed := make([]error, sessions)
	var all sync.WaitGroup
	before, began := processorTime(), time.Now()
	for s := range sessions {
		all.Go(func() {
			for range turns / sessions {
				if failed[s] = turn(agent); failed[s] != nil {
					return
				}
			}
		})
	}
	all.Wait()
	return time.Since(began), processorTime() - before, errors.Join(failed...)
}

func turn(agent *react.Agent) error {
	said, err := agent.Generate(context.Background(), []*schema.Message{
		schema.SystemMessage("You are a helpful assistant."), schema.UserMessage("go"),
	})
	if err != nil {
		return err
	}
	if strings.TrimSpace(said.Content) != answer {
		return fmt.Errorf("the model says %q", said.Content)
	}
	return nil
}

// processorTime is what this process has taken, its own and the system's for it.
func processorTime() time.Duration {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
