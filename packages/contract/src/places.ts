import type { Operation, OperationAudit, Place } from './operation.ts'

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown) => (typeof value === 'object' && value !== null ? value : {}) as Fields

/** Returns the value at a place of a call, such as `body.agent_id`, or undefined if missing. */
export function valueAt(call: object, place: Place): unknown {
  let value: unknown = call
  for (const name of place.split('.')) value = fieldsOf(value)[name]
  return value
}

/** Returns the text at a place of a call, or undefined if the value is not a string. */
export function textAt(call: object, place: Place | undefined): string | undefined {
  const value = place && valueAt(call, place)
  return typeof value === 'string' ? value : undefined
}

/** A text whose places in braces are filled in: `{params.channel}/{params.id}`. What a call does not have is empty. */
export function fillPlaces(template: string, call: object): string {
  return template.replaceAll(/\{([^}]+)\}/g, (_, place: Place) => textAt(call, place) ?? '')
}

/** Returns the object of a call as its row defines it. @param call with its response, if available */
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
