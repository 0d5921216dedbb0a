package scenario

import (
	"testing"

	"go.yaml.in/yaml/v4"
)

// The workflow is valid for GitHub: it has events, and a job whose steps each use an action or
// run a command (SCN-22).
func TestStarterWorkflowIsOne(t *testing.T) {
	var workflow struct {
		Name        string            `yaml:"name"`
		On          []string          `yaml:"on"`
		Permissions map[string]string `yaml:"permissions"`
		Jobs        map[string]struct {
			RunsOn  string `yaml:"runs-on"`
			Timeout int    `yaml:"timeout-minutes"`
			Steps   []struct {
				Uses string            `yaml:"uses"`
				Run  string            `yaml:"run"`
				If   string            `yaml:"if"`
				With map[string]string `yaml:"with"`
			} `yaml:"steps"`
		} `yaml:"jobs"`
	}
	if err := yaml.Load(scenarioWorkflow, &workflow, yaml.WithKnownFields()); err != nil {
		t.Fatal(err)
	}
	job, ok := workflow.Jobs["scenarios"]
	if !ok || len(workflow.On) == 0 || job.RunsOn == "" || len(job.Steps) == 0 {
		t.Fatalf("no events, or no job with steps: %+v", workflow)
	}
	for _, step := range job.Steps {
		if (step.Uses == "") == (step.Run == "") {
			t.Errorf("a step uses an action or runs a command: %+v", step)
		}
	}
}
