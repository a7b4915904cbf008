import type { AgentRuntime } from './runtime.ts'
import { serviceMethods, textsOf, type Parameter } from './service-methods.ts'
import { RuntimeError } from '../ports/runtime-error.ts'

/** The services of a runtime, by their names. */
export type RuntimeServices = Pick<
  AgentRuntime,
  | 'agents'
  | 'runs'
  | 'feedback'
  | 'whatIfs'
  | 'tasks'
  | 'graphs'
  | 'schedules'
  | 'channels'
  | 'conversations'
  | 'responses'
  | 'files'
  | 'memory'
  | 'collections'
  | 'skills'
  | 'settings'
  | 'models'
  | 'mcp'
  | 'logs'
  | 'usage'
  | 'prices'
  | 'webhooks'
  | 'triggers'
  | 'tokens'
  | 'audit'
>

/** Loads services; the first call opens the runtime. */
export type LoadService = <Name extends keyof RuntimeServices>(name: Name) => Promise<RuntimeServices[Name]>

/** Services that are loaded by their first call. */
export function createServices(load: LoadService): RuntimeServices {
  const names = Object.keys(serviceMethods) as (keyof RuntimeServices)[] // the table has one for each
  const services = Object.fromEntries(
    names.map((name) => [name, loadOnCall(name, () => load(name), serviceMethods[name])]),
  ) as unknown as RuntimeServices // each has the methods of its service, but for the two below
  return {
    ...services,
    runs: {
      ...services.runs,
      async *events(runId, sinceSeq, signal, options) {
        yield* (await load('runs')).events(runId, sinceSeq, signal, options)
      },
    },
    logs: {
      ...services.logs,
      async *follow(view, signal) {
        yield* (await load('logs')).follow(view, signal)
      },
    },
  }
}

const unchecked = new WeakMap<AgentRuntime, RuntimeServices>()

/** Remembers the services that stand behind those of a runtime, which check what a host's own code passes. */
export function setUncheckedServices(runtime: AgentRuntime, services: RuntimeServices): void {
  unchecked.set(runtime, services)
}

/** The services for a caller that has parsed what it passes. A runtime that a host has wrapped keeps its own. */
export function uncheckedServices(runtime: AgentRuntime): RuntimeServices {
  return unchecked.get(runtime) ?? runtime
}

type Methods = Readonly<Record<string, (...given: readonly unknown[]) => Promise<unknown>>>

/**
 * Stands for a service until it is needed: importing the package and creating a runtime then cost next to nothing.
 *
 * @param name of the service, for errors.
 * @param methods of the service, with their parameters.
 */
function loadOnCall(
  name: string,
  load: () => Promise<object>,
  methods: Readonly<Record<string, readonly Parameter[]>>,
): Methods {
  const standIns = Object.entries(methods).map(([method, parameters]) => {
    const names = textsOf(parameters)
    const call = async (...given: readonly unknown[]) => {
      assertTexts(`${name}.${method}`, names, given)
      return ((await load()) as Methods)[method]?.(...given) // the table names the methods of the service
    }
    return [method, call] as const
  })
  return Object.fromEntries(standIns)
}

function assertTexts(method: string, names: readonly string[], given: readonly unknown[]): void {
  for (const [place, name] of names.entries()) {
    if (typeof given[place] === 'string') continue
    throw new RuntimeError('validation_error', `Calling ${method} failed: "${name}" must be a string.`)
  }
}
