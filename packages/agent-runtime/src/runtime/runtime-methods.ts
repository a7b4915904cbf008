import {
  abortSignal,
  checkedLater,
  fields,
  number,
  optional,
  text,
  texts,
  word,
  type Parameters,
} from '../host-input/check-call.ts'
import type { AgentRuntime } from './runtime.ts'
import { skillMethods } from '../skills/skill-methods.ts'

const signal = optional(abortSignal)
const words = optional(text)
const page = { limit: optional(number), cursor: words }
const options = optional(fields({ signal }))

/** A query that may be left out, as each of its fields may. */
const query = (checks: Parameters) => optional(fields(checks))

type OwnMethod = 'run' | 'stream' | 'start' | 'close' | typeof Symbol.asyncDispose
type Group = Exclude<keyof AgentRuntime, OwnMethod | 'events' | 'logger'>

/** What the methods of a runtime take, group by group; one that is left out does not compile. */
export const runtimeMethods = {
  agents: {
    list: { signal },
    get: { id: text, signal },
    find: { id: text, signal },
    create: { input: checkedLater, signal },
    update: { id: text, patch: checkedLater, signal },
    delete: { id: text, signal },
  },
  runs: {
    start: { request: checkedLater, options },
    attach: { runId: text, signal },
    find: { id: text },
    list: {
      query: query({
        agentId: words,
        graphId: words,
        parentRunId: words,
        conversationId: words,
        status: words,
        ...page,
      }),
      signal,
    },
    events: { runId: text, sinceSeq: number, signal },
    cancel: { id: text },
    decideApproval: {
      runId: text,
      approvalId: text,
      decision: fields({ decision: word('approve', 'deny'), reason: words }),
    },
    recover: {},
  },
  tasks: {
    create: { request: checkedLater, signal },
    get: { id: text, signal },
    find: { id: text, signal },
    list: { query: query({ agentId: words, graphId: words, status: words, ...page }), signal },
    cancel: { id: text },
    retry: { id: text },
  },
  graphs: {
    list: { signal },
    get: { id: text, signal },
    find: { id: text, signal },
    create: { input: checkedLater, signal },
    update: { id: text, patch: checkedLater, signal },
    delete: { id: text, signal },
    start: { request: checkedLater, options },
    run: { request: checkedLater, options },
  },
  schedules: {
    next: { query: fields({ schedule: text, timezone: words, count: optional(number), from: words }) },
    list: { signal },
  },
  channels: {
    receive: { channel: text, request: fields({}) },
    status: { channel: text, options },
    setWebhook: { channel: text, baseUrl: text, signal },
    messages: { channel: text, query: query({ status: words, ...page }), signal },
    resolve: { channel: text, messageId: text, decision: word('resend', 'discard') },
  },
  conversations: {
    list: { query: query({ agentId: words, userId: words, ...page }), signal },
    get: { id: text, page: query(page), signal },
    append: { input: checkedLater, signal },
    rename: { id: text, title: (title) => (title === null ? undefined : text(title)), signal },
    delete: { id: text, signal },
    summarize: { id: text, signal },
  },
  memory: {
    write: { input: checkedLater, options: query({ trust: optional(word('untrusted')), signal }) },
    search: { query: checkedLater, signal },
    delete: { id: text, signal },
  },
  skills: skillMethods,
  settings: { read: {}, view: {}, update: { patch: checkedLater } },
  logs: {
    list: {
      query: query({
        type: words,
        types: optional(texts),
        runId: words,
        since: optional(number),
        limit: optional(number),
      }),
      signal,
    },
    lastSeq: { signal },
    follow: { view: query({ types: optional(texts), runId: words, since: optional(number) }), signal },
  },
  usage: {
    report: {
      query: query({ from: words, to: words, interval: words, agentId: words, model: words }),
      signal,
    },
  },
} as const satisfies { readonly [Name in Group]: Readonly<Record<keyof AgentRuntime[Name], Parameters>> }
