import { createHash } from 'node:crypto'
import { readBoundedPage } from '@homeward/contract/handler'
import type { Page, PageRequest } from '../store/ports/page.ts'
import { strangeCursor } from '../store/cursor.ts'

/** The lists that are read by pages. */
type ListName =
  | 'conversations'
  | 'messages'
  | 'tasks'
  | 'runs'
  | 'waits'
  | 'channel-messages'
  | 'audit'
  | 'documents'
  | 'agent-versions'
  | 'memories'

/** A page of a list. */
interface ListPage extends PageRequest {
  /** What the list belongs to, where there are many of its name: the id of a conversation for its messages. */
  readonly of?: string
}

/**
 * Reads a page whose rows hold what people, models or tools wrote, however much that is: a large one ends early. A cursor
 * carries the name of its list: to a store a place in one list may be a place in another one too.
 *
 * @throws {RuntimeError} `validation_error` for the cursor of another list.
 */
export async function readPage<Row>(
  list: ListName,
  { limit, cursor, of }: ListPage,
  read: (page: PageRequest) => Promise<Page<Row>>,
): Promise<Page<Row>> {
  const mark = of === undefined ? `${list}.` : `${list}.${digestOf(of)}.`
  if (cursor !== undefined && !cursor.startsWith(mark)) throw strangeCursor()
  const { rows, next } = await readBoundedPage<Row, string>({
    limit,
    after: cursor?.slice(mark.length),
    async read(part, after) {
      const page = await read({ limit: part, cursor: after })
      return { rows: page.rows, next: page.nextCursor }
    },
  })
  return { rows, ...(next !== undefined && { nextCursor: mark + next }) }
}

/** Ids are of any length and script; a cursor is neither. */
const digestOf = (id: string) => createHash('sha256').update(id).digest('base64url').slice(0, 12)
