import { expect, expectTypeOf, it } from 'vitest'
import * as z from 'zod'
import { createRuntime, type ModelProvider } from '../index.ts'
import {
  createEvals,
  createModelRecorder,
  createModelReplay,
  maxCost,
  evalMatchers,
  outputMatches,
  usesTools,
  type EvalCase,
  type EvalMatchers,
  type EvalReport,
  type Scorer,
} from './index.ts'

declare module 'vitest' {
  // as the guide says
  interface Matchers<
    R extends void | Promise<void> = void | Promise<void>,
    T = unknown,
  > extends EvalMatchers<R> {}
}

const evals = createEvals({ runtime: createRuntime() })

it('takes cases that are requests with a name, and gives a report', async () => {
  const report = await evals.run({
    agent: 'a',
    cases: [{ name: 'x', task: 'y', output_schema: {} }],
    repeat: 2,
  })
  expectTypeOf(report).toEqualTypeOf<EvalReport>()
  expectTypeOf(evals.caseFrom('r')).resolves.toEqualTypeOf<EvalCase>()
  // @ts-expect-error a case needs a name
  void evals.run({ agent: 'a', cases: [{ task: 'y' }] })
  // @ts-expect-error each run of a case is a run of its own
  void evals.run({ agent: 'a', cases: [{ name: 'x', task: 'y', idempotency_key: 'k' }] })
})

it('takes scorers of its own and those of an app', () => {
  expectTypeOf(outputMatches(z.object({ a: z.string() }))).toEqualTypeOf<Scorer>()
  const short = {
    name: 'is short',
    score: ({ result }) => ({ value: result.output.length < 100 ? 1 : 0 }),
  } satisfies Scorer
  void evals.run({ agent: 'a', cases: [], scorers: [short, maxCost({ tokens: 1 })] })
  // @ts-expect-error there are three orders
  usesTools(['a'], { order: 'random' })
})

it('records and replays as a provider of models', () => {
  const recorder = createModelRecorder(() => {
    throw new Error('no model')
  })
  expectTypeOf(recorder.provider).toEqualTypeOf<ModelProvider>()
  expectTypeOf(createModelReplay(recorder.recording())).toEqualTypeOf<ModelProvider>()
})

it('gives a matcher that Vitest knows', () => {
  expect.extend(evalMatchers)
  expect(1).toPassEvals({ rate: 0.8, by: 'low' })
  // @ts-expect-error an unknown option
  expect(1).toPassEvals({ share: 1 })
})
