import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { Json } from '@homeward/contract/agent-platform'
import type { AssistantPart } from './message.ts'

/** A run, as its span describes it. */
export interface TracedRun {
  readonly id: string
  readonly kind: 'agent' | 'graph'
  readonly agentId?: string
  readonly graph?: { readonly id: string }
  readonly conversationId?: string
  readonly userId?: string
  /** `provider/model-id` */
  readonly model?: string
  readonly parentRunId?: string
  readonly createdAt: string
  /** The span that it belongs to. */
  readonly traceparent?: string
}

/** Work that has a span, or that goes on below one. */
export type TracedWork =
  | { readonly kind: 'request'; readonly traceparent: string }
  | { readonly kind: 'run'; readonly run: TracedRun }
  | { readonly kind: 'tool'; readonly run: TracedRun; readonly callId: string; readonly tool: string }
  | {
      readonly kind: 'function'
      readonly run: TracedRun
      readonly nodeId: string
      readonly name: string
      readonly attempt: number
    }
  | {
      readonly kind: 'task'
      readonly id: string
      readonly subject: { readonly kind: 'agent' | 'graph'; readonly id: string }
      readonly attempt: number
      /** The span that put it into the queue. */
      readonly traceparent?: string
    }

/** Something that a run waited for. */
export interface TracedWait {
  readonly id: string
  readonly kind: string
  readonly status: string
  readonly tool?: string
  readonly event?: string
  readonly createdAt: string
  readonly settledAt?: string
}

/** What a model read and wrote in one call. */
export interface TracedAnswer {
  readonly prompt: LanguageModelV4Prompt
  /** Absent while guards have not checked it. */
  readonly parts?: readonly AssistantPart[]
  readonly finish: string
  /** Takes secrets out, as of the journal. */
  readonly redact: <T extends Json>(value: T) => T
}

/** Runs work inside of spans. None of these methods may throw. */
export interface Instrumentation {
  /** The span that is active, as the header `traceparent` has it. */
  capture(): string | undefined
  /** Does work inside its span. */
  inside<T>(traced: TracedWork, work: () => Promise<T>): Promise<T>
  /** A run resumes after this wait. */
  waited(runId: string, wait: TracedWait): void
  /** A model has answered: told before the event `model.completed` of this call is written. */
  answered(runId: string, answer: () => TracedAnswer): void
}

/** Where the instrumentation of a runtime is registered. Without one, nothing is traced and nothing is loaded for it. */
export interface Tracing {
  current: Instrumentation | undefined
  /** The runtime's clock, in milliseconds since the epoch. */
  now: () => number
}

/** The same in every copy of this package. */
const place = Symbol.for('@homeward/agent-runtime/tracing')

/** The tracing of the runtime with these events: also of one that an app has wrapped. */
export function tracingOf(events: object): Tracing {
  const holder = events as { [place]?: Tracing } // nobody else uses the symbol
  return (holder[place] ??= { current: undefined, now: Date.now })
}

/** What is stored of the active span with something that is started; nothing without instrumentation. */
export function toTraceparent({ current }: Tracing): { readonly traceparent?: string } | undefined {
  const traceparent = current?.capture()
  return traceparent === undefined ? undefined : { traceparent }
}
