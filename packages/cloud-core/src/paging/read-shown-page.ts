import type { Page, PagePosition, PageRequest } from '../ports/page.ts'

/** Reads that one page may be gathered from: pages of a wide list that shows little are shorter, and go on. */
const maxReads = 50

/**
 * A page of the rows that show, from a list that holds others too. It is gathered until it is full, or until much was
 * read: then it is short, and has a next one.
 *
 * @param show gives those of the rows that show, in their order.
 */
export async function readShownPage<Row extends PagePosition>(
  page: PageRequest,
  read: (page: PageRequest) => Promise<Page<Row>>,
  show: (rows: readonly Row[]) => readonly Row[] | Promise<readonly Row[]>,
): Promise<Page<Row>> {
  const rows: Row[] = []
  let { after } = page
  for (let reads = 0; reads < maxReads; reads += 1) {
    const found = await read({ limit: page.limit, ...(after && { after }) })
    rows.push(...(await show(found.rows)))
    after = found.next
    const last = rows[page.limit - 1]
    if (rows.length > page.limit || (rows.length === page.limit && after !== undefined))
      return {
        rows: rows.slice(0, page.limit),
        ...(last && { next: { createdAt: last.createdAt, id: last.id } }),
      }
    if (after === undefined) break
  }
  return { rows, ...(after && { next: after }) }
}
