import { lazyService } from './lazy-service.ts'
import type { RuntimeParts } from './runtime-parts.ts'
import type { AgentRuntime, RuntimeRuns } from './runtime.ts'
import { skillMethods } from './skills/skill-methods.ts'

const agentMethods = { list: true, get: true, find: true, create: true, update: true, delete: true } as const
const graphMethods = {
  list: true,
  get: true,
  find: true,
  create: true,
  update: true,
  delete: true,
  start: true,
  run: true,
} as const
const scheduleMethods = { next: true, list: true } as const
const conversationMethods = {
  list: true,
  get: true,
  append: true,
  rename: true,
  delete: true,
  summarize: true,
} as const
const taskMethods = { create: true, get: true, find: true, list: true, cancel: true, retry: true } as const
const channelMethods = {
  receive: true,
  status: true,
  setWebhook: true,
  messages: true,
  resolve: true,
} as const
const memoryMethods = { write: true, search: true, delete: true } as const
const settingsMethods = { read: true, view: true, update: true } as const
const usageMethods = { report: true } as const

type Services = Pick<
  AgentRuntime,
  | 'agents'
  | 'tasks'
  | 'graphs'
  | 'schedules'
  | 'channels'
  | 'conversations'
  | 'memory'
  | 'skills'
  | 'settings'
  | 'logs'
  | 'usage'
>

/** The services of a runtime, whose parts are put together by the first call. */
export function createRuntimeServices(parts: () => Promise<RuntimeParts>): Services {
  return {
    agents: lazyService<Services['agents']>(async () => (await parts()).agents, agentMethods),
    tasks: lazyService<Services['tasks']>(async () => (await parts()).work.tasks(), taskMethods),
    graphs: lazyService<Services['graphs']>(async () => (await parts()).work.graphs(), graphMethods),
    schedules: lazyService<Services['schedules']>(
      async () => (await parts()).work.schedules(),
      scheduleMethods,
    ),
    channels: lazyService<Services['channels']>(async () => (await parts()).work.channels(), channelMethods),
    conversations: lazyService<Services['conversations']>(
      async () => (await parts()).conversations,
      conversationMethods,
    ),
    memory: lazyService<Services['memory']>(async () => (await parts()).memory, memoryMethods),
    skills: lazyService<Services['skills']>(async () => (await parts()).skills, skillMethods),
    settings: lazyService<Services['settings']>(async () => (await parts()).settings, settingsMethods),
    usage: lazyService<Services['usage']>(async () => (await parts()).usage, usageMethods),
    logs: {
      list: async (query, signal) => (await parts()).logs.list(query, signal),
      lastSeq: async (signal) => (await parts()).logs.lastSeq(signal),
      async *follow(view, signal) {
        yield* (await parts()).logs.follow(view, signal)
      },
    },
  }
}

/** The runs of a runtime, in the same way. */
export function createRuntimeRuns(parts: () => Promise<RuntimeParts>): RuntimeRuns {
  const runs = async () => (await parts()).runs
  return {
    start: async (request, given) => (await runs()).start(request, given),
    attach: async (id, signal) => (await runs()).attach(id, signal),
    find: async (id) => (await runs()).find(id),
    async *events(runId, sinceSeq, signal) {
      yield* (await runs()).events(runId, sinceSeq, signal)
    },
    cancel: async (id) => (await runs()).cancel(id),
    decideApproval: async (runId, approvalId, decision) =>
      (await runs()).decideApproval(runId, approvalId, decision),
    recover: async () => (await runs()).recover(),
    list: async (query, signal) => (await runs()).list(query, signal),
  }
}
