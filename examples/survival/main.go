// Command survival fits Cox's proportional hazards model to a small clinical trial
// and prints the survival curves of its two groups.
//
// The risk of a patient is exp(x*beta). Cox's likelihood needs, for every event, the
// summed risk of the patients still under observation: a running sum of exponentials
// over the patients, latest first, which is what LogCumSumExp is. It stays in
// logarithms, so that no risk overflows. Breslow's cumulative hazard is another one
// over time.
//
//	go run ./examples/survival
package main

import (
	"context"
	"fmt"
	"log"
	"math"
	"slices"

	"vkops/host"
	"vkops/tensor"
)

// patient is one row of the trial of 6-mercaptopurine against placebo in leukemia of
// Freireich and others, Blood 21 (1963), which Cox used in his paper of 1972.
type patient struct {
	weeks    int
	relapsed bool // false: lost from sight in remission
	placebo  bool
}

func trial() []patient {
	var patients []patient
	add := func(placebo, relapsed bool, weeks ...int) {
		for _, w := range weeks {
			patients = append(patients, patient{w, relapsed, placebo})
		}
	}
	add(true, true, 1, 1, 2, 2, 3, 4, 4, 5, 5, 8, 8, 8, 8, 11, 11, 12, 12, 15, 17, 22, 23)
	add(false, true, 6, 6, 6, 7, 10, 13, 16, 22, 23)
	add(false, false, 6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35)
	slices.SortFunc(patients, func(a, b patient) int { return b.weeks - a.weeks }) // latest first
	return patients
}

func main() {
	rt, err := host.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close()
	ctx := context.Background()
	patients := trial()

	betas := make([]float64, 4001)
	for i := range betas {
		betas[i] = float64(i-1000) / 1000
	}
	likelihoods, err := logLikelihoods(ctx, rt, patients, betas)
	if err != nil {
		log.Fatal(err)
	}
	best := slices.Index(likelihoods, slices.Max(likelihoods))
	beta := betas[best]
	fmt.Printf("on %s: beta %.3f, log-likelihood %.3f (%.3f at 0); placebo multiplies the risk by %.2f\n",
		rt.Device().Name, beta, likelihoods[best], likelihoods[slices.Index(betas, 0)], math.Exp(beta))

	weeks, logHazards, err := logCumulativeHazard(ctx, rt, patients, beta)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("week  in remission: treated, placebo")
	for i, week := range weeks {
		fmt.Printf("%4d  %16.3f  %7.3f\n", week, survival(logHazards[i]), survival(logHazards[i]+beta))
	}
}

func survival(logHazard float64) float64 { return math.Exp(-math.Exp(logHazard)) }

func logRisk(p patient, beta float64) float64 {
	if p.placebo {
		return beta
	}
	return 0
}

// logRisksSoFar gives, in row b and column i, the logarithm of the summed risk of
// patients 0 to i under betas[b]: all values of beta in one call, a row each.
func logRisksSoFar(ctx context.Context, rt *host.Runtime, patients []patient, betas []float64) ([]float64, error) {
	risks := make([]float64, 0, len(betas)*len(patients))
	for _, beta := range betas {
		for _, p := range patients {
			risks = append(risks, logRisk(p, beta))
		}
	}
	return host.LogCumSumExp(ctx, rt, risks, risks, tensor.Shape{len(betas), len(patients)}, tensor.LogCumSumExp{Axis: 1})
}

// lastOfWeek is the last patient with the same week as patient i: all of them are at
// risk in that week.
func lastOfWeek(patients []patient, i int) int {
	for i+1 < len(patients) && patients[i+1].weeks == patients[i].weeks {
		i++
	}
	return i
}

// logLikelihoods are Cox's partial log-likelihoods (ties as Breslow has them), one for
// each beta. Patients are sorted by weeks, latest first.
func logLikelihoods(ctx context.Context, rt *host.Runtime, patients []patient, betas []float64) ([]float64, error) {
	risks, err := logRisksSoFar(ctx, rt, patients, betas)
	if err != nil {
		return nil, err
	}
	likelihoods := make([]float64, len(betas))
	for b, beta := range betas {
		row := risks[b*len(patients):][:len(patients)]
		for i, p := range patients {
			if p.relapsed {
				likelihoods[b] += logRisk(p, beta) - row[lastOfWeek(patients, i)]
			}
		}
	}
	return likelihoods, nil
}

// logCumulativeHazard is the logarithm of Breslow's cumulative hazard of the treated
// after each week with a relapse. Survival is exp(-hazard*risk).
func logCumulativeHazard(ctx context.Context, rt *host.Runtime, patients []patient, beta float64) (weeks []int, logHazards []float64, err error) {
	risks, err := logRisksSoFar(ctx, rt, patients, []float64{beta})
	if err != nil {
		return nil, nil, err
	}
	relapses := map[int]int{}
	var steps []float64 // log(relapses/risk) of each week, earliest first
	for i, p := range slices.Backward(patients) {
		if !p.relapsed {
			continue
		}
		if relapses[p.weeks]++; relapses[p.weeks] == 1 {
			weeks = append(weeks, p.weeks)
			steps = append(steps, -risks[lastOfWeek(patients, i)])
		}
	}
	for i, week := range weeks {
		steps[i] += math.Log(float64(relapses[week]))
	}
	logHazards, err = host.LogCumSumExp(ctx, rt, nil, steps, tensor.Shape{len(steps)}, tensor.LogCumSumExp{Axis: 0})
	return weeks, logHazards, err
}
