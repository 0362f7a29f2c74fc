// The cache of Argo CD's engine, for `python -m tests.bench.cluster_cache`: says "begin" before it
// loads a cluster, "ready N" when it holds N objects, then "seen N" for every 100 updates.
package main

import (
	"fmt"
	"os"
	"sync/atomic"

	"github.com/argoproj/argo-cd/gitops-engine/pkg/cache"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/utils/kube"
	"github.com/argoproj/argo-cd/gitops-engine/pkg/utils/tracing"
	"github.com/go-logr/logr"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	if err != nil {
		panic(err)
	}
	config.QPS, config.Burst = 200, 400
	held := cache.NewClusterCache(config, cache.SetLogr(logr.Discard()),
		cache.SetKubectl(&kube.KubectlCmd{Log: logr.Discard(), Tracer: tracing.NopTracer{}}))
	fmt.Println("begin")
	if err := held.EnsureSynced(); err != nil {
		panic(err)
	}
	var seen atomic.Int64
	held.OnResourceUpdated(func(_, _ *cache.Resource, _ map[kube.ResourceKey]*cache.Resource) {
		if n := seen.Add(1); n%100 == 0 {
			fmt.Println("seen", n)
		}
	})
	fmt.Println("ready", len(held.FindResources("")))
	select {}
}
