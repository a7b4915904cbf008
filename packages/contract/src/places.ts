import type { Operation, OperationAudit, Place } from './operation.ts'

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown) => (typeof value === 'object' && value !== null ? value : {}) as Fields

/** The value at a place of a call, such as `body.agent_id`; undefined where there is none. */
export function valueAt(call: object, place: Place): unknown {
  let value: unknown = call
  for (const name of place.split('.')) value = fieldsOf(value)[name]
  return value
}

/** The text at a place of a call; undefined for anything else. */
export function textAt(call: object, place: Place | undefined): string | undefined {
  const value = place && valueAt(call, place)
  return typeof value === 'string' ? value : undefined
}

/** A text whose places in braces are filled in: `{params.channel}/{params.id}`. What a call does not have is empty. */
export function fillPlaces(template: string, call: object): string {
  return template.replaceAll(/\{([^}]+)\}/g, (_, place: Place) => textAt(call, place) ?? '')
}

/** What a call is done to, as its row says. @param call - with its reply, if there is one */
export function targetOf(
  { target = '{params.id}', targetAfter = target }: OperationAudit,
  call: object,
): string {
  return ('reply' in call && fillPlaces(targetAfter, call)) || fillPlaces(target, call)
}

/**
 * The paths that a host mounts to serve each operation of a table, without a slash at their end: the path itself, and
 * everything below it.
 */
export function pathsOf(operations: Readonly<Record<string, Operation>>): readonly string[] {
  const paths = Object.values(operations).map(({ path }) => {
    const [, first, second] = path.split('/')
    return first === 'api' ? `/api/${second}` : `/${first}`
  })
  return [...new Set(paths)]
}
