import type { RunSpan } from '../../store/ports/run-trace.ts'
import { at, oddText } from '../conformance-fixtures.ts'

/** A model call of a run that had so many messages. */
export function modelSpanOf(messages: number): RunSpan {
  const times = { startedAt: at(1), finishedAt: at(2) }
  const failed = { model: 'test/echo', ...times, error: oddText }
  const usage = { input_tokens: 1, output_tokens: 2 }
  const attempts = [failed, { model: 'test/echo', ...times }]
  return { kind: 'model', at: messages, model: 'test/echo', attempts, usage, cost: { microUsd: 3 }, ...times }
}

/** A tool call of a run. */
export function toolSpanOf(callId: string): RunSpan {
  return { kind: 'tool', at: 1, callId, startedAt: at(1), finishedAt: at(2), isReused: true }
}
