import type { MemoryQuery, StoredMemory } from '../ports/memory-store.ts'

// Belongs to no word, so that what is filtered by is never found as text.
const mark = '\u00a7'

type Scope = Pick<MemoryQuery, 'agentId' | 'userId' | 'tags'> & { readonly collectionId?: string }

/**
 * What a memory or a passage is filtered by, as words of the index. Only hexadecimal digits come from outside: nothing of it can be
 * taken for an operator.
 */
export function toScopeWords({ agentId, collectionId, userId, tags = [] }: Scope): string[] {
  return [
    ...(collectionId === undefined ? [] : [`${mark}c${toHex(collectionId)}`]),
    ...(agentId === undefined ? [] : [`${mark}a${toHex(agentId)}`]),
    ...(userId === undefined ? [] : [userId === null ? `${mark}n` : `${mark}u${toHex(userId)}`]),
    ...new Set(tags.map((tag) => `${mark}t${toHex(tag)}`)),
  ]
}

/** Words by which filters find a memory: with whom it belongs to also where that is nobody. */
export function toScopeWordsOf(memory: StoredMemory): string[] {
  return toScopeWords({ ...memory, userId: memory.userId ?? null })
}

/**
 * A query of the index: every word of the scope and any of the words. Words hold letters, digits and marks only
 * (`toWords`), and stand in quotes.
 */
export function toMatch(scope: readonly string[], words: readonly string[]): string {
  const parts = [
    ...(scope.length === 0 ? [] : [`scope : (${scope.map(quote).join(' AND ')})`]),
    ...(words.length === 0 ? [] : [`text : (${words.map(quote).join(' OR ')})`]),
  ]
  return parts.join(' AND ')
}

function quote(word: string): string {
  return `"${word}"`
}

function toHex(text: string): string {
  let hex = ''
  for (let index = 0; index < text.length; index += 1) {
    hex += text.charCodeAt(index).toString(16).padStart(4, '0')
  }
  return hex
}
