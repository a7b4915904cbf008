import { readBoundedPage } from '@homeward/contract/handler'
import type { Page, PageRequest } from '../ports/page.ts'

/** Reads a page whose rows hold what people, models or tools wrote, however much that is: a large one ends early. */
export async function readPage<Row>(
  { limit, cursor }: PageRequest,
  read: (page: PageRequest) => Promise<Page<Row>>,
): Promise<Page<Row>> {
  const { rows, next } = await readBoundedPage<Row, string>({
    limit,
    after: cursor,
    async read(part, after) {
      const page = await read({ limit: part, cursor: after })
      return { rows: page.rows, next: page.nextCursor }
    },
  })
  return { rows, ...(next !== undefined && { nextCursor: next }) }
}
