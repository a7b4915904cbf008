import { createHash } from 'node:crypto'
import type { MemoryQuery, StoredMemory } from '../ports/memory-store.ts'

// Belongs to no word, so that what is filtered by is never found as text.
const mark = '\u00a7'
/** How lexemes of what belongs to a user begin. */
const anyUser = `${mark}u`
/** Lexeme of what belongs to no user. */
const nobody = `${mark}n`
/** Of a word that is there more often only so many places are kept: by then one more decides nothing. */
const maxPlaces = 16
/** Postgres keeps places up to this one. */
const lastPlace = 16_383
/** A `tsvector` holds less than one mebibyte; of a longer text the words behind it do not count. */
const maxBytes = 900_000

type Scope = Pick<MemoryQuery, 'agentId' | 'userId' | 'tags'>

/** What a memory is filtered by, as lexemes. Digests: a lexeme has an end, and what a user is called has none. */
export function toScope({ agentId, userId, tags = [] }: Scope): string[] {
  return [
    ...(agentId === undefined ? [] : [`${mark}a${digest(agentId)}`]),
    ...(userId === undefined ? [] : [userId === null ? nobody : `${anyUser}${digest(userId)}`]),
    ...new Set(tags.map((tag) => `${mark}t${digest(tag)}`)),
  ]
}

/** What a memory is found by, with whom it belongs to also where that is nobody. */
export function toScopeOf(memory: StoredMemory): string[] {
  return toScope({ ...memory, userId: memory.userId ?? null })
}

/** Words with their places, and what they are filtered by, as the text of a `tsvector`. */
export function toLexemes(scope: readonly string[], words: readonly string[]): string {
  const places = new Map<string, number[]>()
  let bytes = 0
  for (const [index, word] of words.entries()) {
    const known = places.get(word)
    if (known === undefined) {
      bytes += Buffer.byteLength(word) + 2 * maxPlaces
      if (bytes > maxBytes) break
      places.set(word, [Math.min(index + 1, lastPlace)])
    } else if (known.length < maxPlaces && index < lastPlace) {
      known.push(index + 1)
    }
  }
  const lexemes = [...places].map(([word, at]) => `${quote(word)}:${at.join(',')}`)
  return [...scope.map(quote), ...lexemes].join(' ')
}

/** A `tsquery`: all of the scope and any of the words. */
export function toQuery(scope: readonly string[], words: readonly string[]): string {
  return [...scope.map(quote), ...(words.length === 0 ? [] : [`(${words.map(quote).join(' | ')})`])].join(
    ' & ',
  )
}

/** Words without their places, as the text of a `tsvector`. Of very many the first count. */
export function toWordSet(words: readonly string[]): string {
  let bytes = 0
  return words
    .filter((word) => (bytes += Buffer.byteLength(word) + 8) <= maxBytes)
    .map(quote)
    .join(' ')
}

/** A `tsquery`: all of the words, and one that begins like this. */
export const toQueryOfAll = (words: readonly string[], beginning?: string) =>
  [...words.map(quote), ...(beginning === undefined ? [] : [`${quote(beginning)}:*`])].join(' & ')

/** What a passage of a document is filtered by. */
export function toChunkScope(collectionId: string, userId: string | undefined): string[] {
  return [`${mark}c${digest(collectionId)}`, ...(userId === undefined ? [] : [`${anyUser}${digest(userId)}`])]
}

function quote(lexeme: string): string {
  return `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
}

function digest(text: string): string {
  return createHash('sha256').update(text, 'utf16le').digest('base64url').slice(0, 24)
}
