import type { JsonObject } from '@homeward/contract/agent-platform'
import { relaxSchema } from './relax-schema.ts'
import { createSchemaCompiler } from './schema-compiler.ts'

/** Says why a value is not a valid JSON Schema; undefined if it is. Unknown keywords and formats are fine. */
type FindSchemaProblem = (schema: JsonObject) => Promise<string | undefined>

const newest = 'https://json-schema.org/draft/2020-12/schema'
const draft7 = 'http://json-schema.org/draft-07/schema#'

/**
 * Builds the check of schemas that are about to be saved: against the meta-schema of the draft that `$schema` names, or of
 * draft 2020-12, and for references that lead nowhere.
 */
export function createSchemaCheck(): FindSchemaProblem {
  const compiler = createSchemaCompiler()

  async function metaProblem(schema: JsonObject, $schema: string): Promise<string | undefined> {
    const meta = await compiler.compile({ $schema, $ref: $schema })
    const findings = await meta.check(schema)
    if ('unknown' in findings) return findings.unknown
    const [first] = findings
    if (!first) return undefined
    const { instancePath, params, message = 'is invalid' } = first
    const allowed: unknown = params['allowedValues']
    const detail = allowed === undefined ? '' : ` (${JSON.stringify(allowed)})`
    const place = instancePath === '' ? 'the schema' : `"${instancePath.slice(1).replaceAll('/', '.')}"`
    const isPattern = params['format'] === 'regex'
    return `${place} ${isPattern ? 'is not a regular expression' : `${message}${detail}`}`
  }

  return async (schema) => {
    const draft = typeof schema['$schema'] === 'string' ? schema['$schema'] : newest
    if (/draft-0[34]/.test(draft)) return oldProblem(schema)
    // draft 2019-09 has lists as "items", as draft 7 does
    const isOlder = /draft-0[67]|2019-09/.test(draft)
    const wrong = await metaProblem(schema, isOlder ? draft7 : newest)
    if (wrong !== undefined) return wrong
    const { $async: _, ...rules } = schema // means something to the compiler alone
    const { unchecked } = await compiler.compile(rules)
    // the compiler knows "items" of draft 2019-09 only as the newest draft has it
    return draft.includes('2019-09') && !unchecked?.includes('reference') ? undefined : unchecked
  }
}

/** Nothing here knows the meta-schemas of drafts 3 and 4. */
function oldProblem(schema: JsonObject): string | undefined {
  const { skippedRanges } = relaxSchema(schema, false)
  return skippedRanges.size === 0 ? undefined : `its rules ${[...skippedRanges].join(', ')} are invalid`
}
