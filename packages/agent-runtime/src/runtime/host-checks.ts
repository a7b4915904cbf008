import type { Operation, Schema } from '@homeward/contract'
import { agentPlatformOperations } from '@homeward/contract/agent-platform'
import * as z from 'zod/mini'
import { parseInput } from '../host-input/parse-input.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { serviceMethods, type CheckedParameter, type Parameter } from './service-methods.ts'
import type { LoadService, RuntimeServices } from './services.ts'

type Method = (...given: readonly unknown[]) => unknown
type Methods = Readonly<Record<string, Method>>

/**
 * A service as a host's own code calls it: requests and inputs are parsed by the rows of the REST interface. That interface
 * itself has parsed them already, and calls the service behind this one.
 */
export function withHostChecks<Name extends keyof RuntimeServices>(
  name: Name,
  service: RuntimeServices[Name],
): RuntimeServices[Name] {
  const methods = service as unknown as Methods // each takes what its table says
  const table: Readonly<Record<string, readonly Parameter[]>> = serviceMethods[name]
  const checked = Object.entries(table).flatMap(([method, parameters]) => {
    const isChecked = parameters.some((each) => typeof each !== 'string')
    const call = methods[method]
    return isChecked && call ? [[method, withChecks(`${name}.${method}`, call, parameters)] as const] : []
  })
  return { ...service, ...Object.fromEntries(checked) } // the same methods
}

function withChecks(method: string, call: Method, parameters: readonly Parameter[]): Method {
  return async (...given) => {
    const parsed = parameters.map((parameter, place) =>
      typeof parameter === 'string' ? given[place] : parse(parameter, given[place]),
    )
    const rest = given.slice(parameters.length)
    return call(...parsed, ...(others[method]?.(rest) ?? rest))
  }
}

function parse({ row, field, isInPath, attempt }: CheckedParameter, given: unknown): unknown {
  const { params, body }: Operation = agentPlatformOperations[row]
  if (field === undefined) return parseInput(body as z.ZodMiniType, given, attempt)
  const schema = isInPath ? pick(params, field) : (body as z.ZodMiniType)
  const parsed = parseInput(schema, { [field]: given }, attempt) as Readonly<Record<string, unknown>>
  return parsed[field]
}

const pick = (schema: Schema | undefined, field: string) =>
  z.pick(schema as z.ZodMiniObject, { [field]: true }) as z.ZodMiniType // the parameters of a path are an object

/** What no row checks: parameters that only a host's own code has. */
const others: Readonly<Record<string, (rest: readonly unknown[]) => readonly unknown[]>> = {
  'runs.decideApproval': withShortName,
  'runs.answerWait': withShortName,
  'memory.write'(rest) {
    const { trust } = (rest[0] ?? {}) as { readonly trust?: unknown }
    if (trust === undefined || trust === 'untrusted') return rest
    throw new RuntimeError('validation_error', 'Writing a memory failed: "trust" must be "untrusted".')
  },
}

/** Who decided is named by at most 200 characters. */
function withShortName([by, ...rest]: readonly unknown[]): readonly unknown[] {
  return [(by as string | undefined)?.slice(0, 200), ...rest]
}

/** Loads the same services with those checks. */
export function loadWithHostChecks(load: LoadService): LoadService {
  const known = new Map<object, unknown>()
  return async (name) => {
    const service = await load(name)
    const checked = known.get(service) ?? withHostChecks(name, service)
    known.set(service, checked)
    return checked as typeof service // checks keep the type of what they check
  }
}
