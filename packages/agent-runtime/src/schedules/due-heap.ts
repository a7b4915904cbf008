/** What waits for its time. */
export interface Due {
  /** Milliseconds since the epoch. */
  due: number
}

/** Gives what is due first, first. Taking and adding cost the logarithm of how many there are. */
export interface DueHeap<Item extends Due> {
  readonly size: number
  add(item: Item): void
  /** What is due first, left in its place. */
  peek(): Item | undefined
  take(): Item | undefined
  /** All that are due by a time, in no order, left in their places. The cost grows with how many they are. */
  dueBy(time: number): Item[]
  clear(): void
}

/** An empty heap: a list in which the item at `n` is due before those at `2n + 1` and `2n + 2`. */
export function createDueHeap<Item extends Due>(): DueHeap<Item> {
  const items: Item[] = []
  const dueAt = (place: number) => items[place]?.due ?? Infinity

  function swap(a: number, b: number): void {
    const [left, right] = [items[a], items[b]]
    if (left === undefined || right === undefined) return
    items[a] = right
    items[b] = left
  }

  function sink(): void {
    let place = 0
    for (;;) {
      const left = 2 * place + 1
      const first = dueAt(left + 1) < dueAt(left) ? left + 1 : left
      if (dueAt(first) >= dueAt(place)) return
      swap(place, first)
      place = first
    }
  }

  return {
    get size() {
      return items.length
    },
    peek: () => items[0],
    add(item) {
      let place = items.push(item) - 1
      while (place > 0) {
        const above = (place - 1) >> 1
        if (dueAt(above) <= item.due) return
        swap(place, above)
        place = above
      }
    },
    take() {
      const [first] = items
      const last = items.pop()
      if (first === undefined || last === undefined || items.length === 0) return first
      items[0] = last
      sink()
      return first
    },
    dueBy(time) {
      const found: Item[] = []
      const places = [0]
      for (let place = places.pop(); place !== undefined; place = places.pop()) {
        const item = items[place]
        if (item === undefined || item.due > time) continue
        found.push(item)
        places.push(2 * place + 1, 2 * place + 2)
      }
      return found
    },
    clear: () => void items.splice(0),
  }
}
