import type { OutputUnit } from '@cfworker/json-schema'

/** What is wrong with one place of a config. */
export interface SchemaProblem {
  readonly keyword: string
  readonly path: readonly string[]
  /** For people, to be read behind the name of the place. */
  readonly message: string
}

/** These only say that something within them is wrong, which is told by itself. */
const containers = new Set(
  'properties patternProperties items prefixItems additionalItems unevaluatedProperties unevaluatedItems allOf $ref if then else dependentSchemas'.split(
    ' ',
  ),
)

/** Reads a validator's output: each problem once, at the place that people can change. */
export function toProblems(units: readonly OutputUnit[]): SchemaProblem[] {
  const hidden = branchesToHide(units)
  const leaves = units.filter(
    ({ keyword, keywordLocation }) =>
      !containers.has(keyword) &&
      keyword !== 'false' &&
      !hidden.some((prefix) => keywordLocation.startsWith(prefix)),
  )
  const deepest = leaves.filter((unit) => !isChoiceWithReason(unit, leaves))
  const problems = deepest.map(toProblem)
  return problems.filter((problem, index) => problems.findIndex((other) => isSame(other, problem)) === index)
}

/** Of the branches of a choice that none fits, the ones that fit worse say nothing that helps. */
function branchesToHide(units: readonly OutputUnit[]): string[] {
  const failures = new Map<string, Map<string, number>>()
  for (const { keywordLocation } of units) {
    const found = /^(.*?\/(?:anyOf|oneOf))\/(\d+)\//.exec(keywordLocation)
    if (!found) continue
    const [, choice = '', branch = ''] = found
    const counts = failures.get(choice) ?? new Map<string, number>()
    counts.set(branch, (counts.get(branch) ?? 0) + 1)
    failures.set(choice, counts)
  }
  return [...failures].flatMap(([choice, counts]) => {
    const fewest = Math.min(...counts.values())
    const worse = [...counts].filter(([, count]) => count > fewest)
    return worse.map(([branch]) => `${choice}/${branch}/`)
  })
}

function isChoiceWithReason({ keyword, keywordLocation }: OutputUnit, all: readonly OutputUnit[]): boolean {
  if (keyword !== 'anyOf' && keyword !== 'oneOf') return false
  return all.some((other) => other.keywordLocation.startsWith(`${keywordLocation}/`))
}

function toProblem({ keyword, instanceLocation, error }: OutputUnit): SchemaProblem {
  const path = toPath(instanceLocation)
  const missing = keyword === 'required' ? /"(.*)"/s.exec(error)?.[1] : undefined
  if (missing !== undefined) return { keyword, path: [...path, missing], message: 'is required' }
  return { keyword, path, message: toMessage(keyword, error) }
}

function toMessage(keyword: string, error: string): string {
  const expected = /Expected "(.*)"/s.exec(error)?.[1]
  if (keyword === 'type' && expected !== undefined)
    return `must be of the type ${expected.replaceAll('", "', ' or ')}`
  if (keyword === 'enum' || keyword === 'const') return 'must be one of the choices'
  if (keyword === 'anyOf' || keyword === 'oneOf') return 'fits none of the choices'
  if (keyword === 'minLength') return 'is too short'
  if (keyword === 'maxLength') return 'is too long'
  if (keyword === 'pattern') return 'has not the form that is expected'
  if (keyword === 'format')
    return `must be a ${/format "(.*)"/.exec(error)?.[1] ?? 'value of the expected form'}`
  return error.charAt(0).toLowerCase() + error.slice(1)
}

function toPath(location: string): string[] {
  return location
    .split('/')
    .slice(1)
    .map((part) => decode(part).replaceAll('~1', '/').replaceAll('~0', '~'))
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function isSame(a: SchemaProblem, b: SchemaProblem): boolean {
  return (
    a.message === b.message &&
    a.path.length === b.path.length &&
    a.path.every((part, at) => part === b.path[at])
  )
}
