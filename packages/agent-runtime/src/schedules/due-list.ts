/** An item that waits for its time. */
export interface Due {
  /** Milliseconds since the epoch. It stays the same while the item is in a list. */
  due: number
}

/** Items in the order of their due times. */
export interface DueList<Item extends Due> {
  /** Puts an item after those that are due at the same time. */
  add(item: Item): void
  remove(item: Item): void
  /** The earliest due time; undefined if the list is empty. */
  nextDue(): number | undefined
  /** Takes out items that are due by a time, the earliest first. */
  take(by: number, limit: number): Item[]
}

/** An empty list. */
export function createDueList<Item extends Due>(): DueList<Item> {
  const items: Item[] = []

  /** The place of the first item that is due after a time. */
  function placeAfter(time: number): number {
    let start = 0
    let end = items.length
    while (start < end) {
      const middle = (start + end) >> 1
      if ((items[middle]?.due ?? Infinity) <= time) start = middle + 1
      else end = middle
    }
    return start
  }

  return {
    add: (item) => void items.splice(placeAfter(item.due), 0, item),
    remove(item) {
      const place = items.indexOf(item)
      if (place >= 0) items.splice(place, 1)
    },
    nextDue: () => items[0]?.due,
    take: (by, limit) => items.splice(0, Math.min(placeAfter(by), limit)),
  }
}
