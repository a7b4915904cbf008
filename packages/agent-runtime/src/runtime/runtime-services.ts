import type { RunRequest } from '@homeward/contract/agent-platform'
import { checkCall } from '../host-input/check-call.ts'
import { lazyService } from './lazy-service.ts'
import { runtimeMethods } from './runtime-methods.ts'
import type { RuntimeParts } from './runtime-parts.ts'
import type { AgentRuntime, RuntimeRuns } from './runtime.ts'
import type { RunHandle, RunStartOptions } from '../runs/runs.ts'

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
type Parts = () => Promise<RuntimeParts>

/** The services of a runtime, whose parts are put together by the first call. */
export function createRuntimeServices(parts: Parts): Services {
  const { agents, tasks, graphs, schedules, channels, conversations, memory, skills, settings, usage } =
    runtimeMethods
  const work = async () => (await parts()).work
  return {
    agents: lazyService<Services['agents']>('agents', async () => (await parts()).agents, agents),
    tasks: lazyService<Services['tasks']>('tasks', async () => (await work()).tasks(), tasks),
    graphs: lazyService<Services['graphs']>('graphs', async () => (await work()).graphs(), graphs),
    schedules: lazyService<Services['schedules']>(
      'schedules',
      async () => (await work()).schedules(),
      schedules,
    ),
    channels: lazyService<Services['channels']>('channels', async () => (await work()).channels(), channels),
    conversations: lazyService<Services['conversations']>(
      'conversations',
      async () => (await parts()).conversations,
      conversations,
    ),
    memory: lazyService<Services['memory']>('memory', async () => (await parts()).memory, memory),
    skills: lazyService<Services['skills']>('skills', async () => (await parts()).skills, skills),
    settings: lazyService<Services['settings']>('settings', async () => (await parts()).settings, settings),
    usage: lazyService<Services['usage']>('usage', async () => (await parts()).usage, usage),
    logs: createRuntimeLogs(parts),
  }
}

function createRuntimeLogs(parts: Parts): Services['logs'] {
  const { follow, ...methods } = runtimeMethods.logs
  const logs = async () => (await parts()).logs
  return {
    ...lazyService<Omit<Services['logs'], 'follow'>>('logs', logs, methods),
    async *follow(view, signal) {
      checkCall('logs.follow', follow, [view, signal])
      yield* (await logs()).follow(view, signal)
    },
  }
}

/** The runs of a runtime, in the same way. */
export function createRuntimeRuns(parts: Parts): RuntimeRuns {
  const { start: _, events, ...methods } = runtimeMethods.runs
  const runs = async () => (await parts()).runs
  const start = createRunStart(parts)
  return {
    ...lazyService<Omit<RuntimeRuns, 'start' | 'events'>>('runs', runs, methods),
    start: (request, given) => start('runs.start', request, given),
    async *events(runId, sinceSeq, signal) {
      checkCall('runs.events', events, [runId, sinceSeq, signal])
      yield* (await runs()).events(runId, sinceSeq, signal)
    },
  }
}

/** Starts runs for the methods that do, whose name errors have. */
export function createRunStart(parts: Parts) {
  return async (method: string, request: RunRequest, given?: RunStartOptions): Promise<RunHandle> => {
    checkCall(method, runtimeMethods.runs.start, [request, given])
    const { runs, parseRequest } = await parts()
    return runs.start(parseRequest(request), given)
  }
}
