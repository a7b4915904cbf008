import { ClientError } from '@homeward/contract/client'

/** What the server found wrong with the fields of a form. */
export interface FieldErrors {
  /** By the name of the field, as the interface has it: `model`, `limits.max_turns`. */
  readonly fields: Readonly<Record<string, string>>
  /** What belongs to none of the fields. */
  readonly rest: Error | undefined
}

const none: FieldErrors = { fields: {}, rest: undefined }

/**
 * Splits the server's answer to a form among its fields: `message` of a validation error names them, such as
 * `limits.max_turns: Too small` or `Changing an agent failed: "timezone" is not an IANA time zone name`.
 *
 * @param names fields that the form shows; the longest name that fits counts.
 */
export function toFieldErrors(error: Error | null, names: readonly string[]): FieldErrors {
  if (error === null) return none
  if (!ClientError.is(error) || error.status !== 400 || error.detail === undefined)
    return { fields: {}, rest: error }
  const fields: Record<string, string> = {}
  let isComplete = true
  for (const part of error.detail.split('; ')) {
    const found = findField(part, names)
    if (found === undefined) isComplete = false
    else fields[found.name] ??= found.text
  }
  return { fields, rest: isComplete ? undefined : error }
}

function findField(part: string, names: readonly string[]): { name: string; text: string } | undefined {
  const candidates = names.toSorted((a, b) => b.length - a.length)
  for (const name of candidates) {
    const escaped = name.replaceAll(/[.[\]]/g, String.raw`\$&`)
    // `skills[3]` and `budget.period` are parts of a field
    const at = new RegExp(`(?:^|: )(?:${escaped}(?:[.[][^:]*)?:|"${escaped}(?:[.[][^"]*)?":?) `).exec(part)
    if (at) return { name, text: toPlainWords(part.slice(at.index + at[0].length)) }
  }
  return undefined
}

/** A length is told by the schema as a program would; people are told what to do. */
function toPlainWords(text: string): string {
  const bound = /^Too (?:big|small): expected string to have ([<>])=(\d+) characters$/.exec(text)
  if (bound) return `Use at ${bound[1] === '<' ? 'most' : 'least'} ${bound[2]} characters.`
  return capitalize(text)
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
