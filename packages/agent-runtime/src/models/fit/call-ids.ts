/** Ids that every provider accepts: OpenAI allows 40 characters, Anthropic letters, digits, `_` and `-`. */
const accepted = /^[A-Za-z0-9_-]{1,40}$/
const notAllowed = /[^A-Za-z0-9_-]/g
const maxLength = 40

/** Gives tool calls ids that every provider accepts, each once in a prompt. Stored ids stay as they are. */
interface CallIds {
  /** The id on the wire of a call that comes now; the same history always gets the same ids, so prompt caches keep working. */
  take(id: string): string
}

export function createCallIds(): CallIds {
  const taken = new Set<string>()
  // Some servers give every call of a conversation one id: what comes next is kept, not counted anew.
  const nextNumbers = new Map<string, number>()
  return {
    take(id) {
      const base = accepted.test(id) ? id : `${id.replace(notAllowed, '_').slice(0, 31)}_${hash(id)}`
      let wire = base
      let number = nextNumbers.get(base) ?? 2
      for (; taken.has(wire); number += 1) {
        const suffix = `_${number}`
        wire = base.slice(0, maxLength - suffix.length) + suffix
      }
      nextNumbers.set(base, number)
      taken.add(wire)
      return wire
    },
  }
}

/** Eight hexadecimal digits (FNV-1a), so that long ids with one beginning stay apart. */
function hash(text: string): string {
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  }
  return (value >>> 0).toString(16).padStart(8, '0')
}
