import { HttpError, validationError } from '@homeward/contract/handler'
import type { RequestView } from '@homeward/contract/handler'
import { hashText } from '../keys/api-key.ts'

/** Fields that devices and the server change: they say nothing about what a user changed. */
const volatile = new Set([
  'status',
  'lastSeenAt',
  'metadata',
  'catalog',
  'nextRunAt',
  'failingSince',
  'updatedAt',
])

const oneTag = String.raw`(?:W\/)?"[\x21\x23-\x7e\x80-\uffff]*"`
const listOfTags = new RegExp(`^\\s*${oneTag}(?:\\s*,\\s*${oneTag})*\\s*$`)
const tagInList = new RegExp(oneTag, 'g')

/** What a tagged call needs of its request. */
interface TaggedCall {
  readonly request: RequestView
  setHeader(name: string, value: string): void
}

/** Versions of what users change, by which a change can be tied to what was read (RFC 9110, sections 8.8.3 and 13.1.1). */
export interface EntityTags {
  /** Adds the tag of what is read. */
  show<Reply extends object>(call: TaggedCall, reply: Promise<Reply>): Promise<Reply>
  /**
   * Makes a change, if what `read` gives is the version that `If-Match` names. Changes of one thing wait for each other.
   *
   * @throws {HttpError} 412 for another version, 400 for an invalid entity tag
   */
  change<Reply extends object>(
    call: TaggedCall,
    id: string,
    read: () => Promise<object>,
    change: () => Promise<Reply>,
  ): Promise<Reply>
}

/** Creates the tags of one cloud. */
export function createEntityTags(): EntityTags {
  const turns = new Map<string, Promise<unknown>>()

  async function show<Reply extends object>(
    { setHeader }: TaggedCall,
    reading: Promise<Reply>,
  ): Promise<Reply> {
    const reply = await reading
    setHeader('etag', tagOf(reply))
    return reply
  }

  return {
    show,
    async change(call, id, read, change) {
      const wanted = call.request.header('if-match')
      const make = async () => {
        if (wanted !== undefined) checkMatch(wanted, tagOf(await read()))
        return change()
      }
      const turn = (turns.get(id) ?? Promise.resolve()).then(make, make)
      turns.set(id, turn)
      try {
        const reply = await turn
        return 'success' in reply ? reply : await show(call, Promise.resolve(reply))
      } finally {
        if (turns.get(id) === turn) turns.delete(id)
      }
    },
  }
}

/** The tag of a reply that holds one thing. */
function tagOf(reply: object): string {
  const [thing = {}] = Object.values(reply) as object[]
  const lasting = Object.entries(thing).filter(([name]) => !volatile.has(name))
  return `"${hashText(JSON.stringify(lasting)).slice(0, 22)}"`
}

function checkMatch(header: string, tag: string): void {
  if (header.trim() === '*') return
  if (!listOfTags.test(header))
    throw validationError('If-Match: must be an entity tag in double quotes, or "*"')
  if (header.match(tagInList)?.includes(tag)) return
  const message = 'The resource has changed since its ETag was read. Read it again, and repeat the change.'
  throw new HttpError(412, { error: 'Precondition failed', message })
}
