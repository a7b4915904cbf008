/** A part of two texts: in both, or in one of them. */
export interface DiffPiece {
  readonly kind: 'same' | 'removed' | 'added'
  readonly text: string
}

/** Beyond that the comparison would hold the page up: the middle then counts as replaced. */
const mostSteps = 4_000_000

/** Compares two texts word by word: the fewest words that were removed and added, in their order. */
export function diffTexts(before: string, after: string): readonly DiffPiece[] {
  const a = wordsOf(before)
  const b = wordsOf(after)
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1
  let end = 0
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end += 1
  const middle = diffWords(a.slice(start, a.length - end), b.slice(start, b.length - end))
  const all = [...a.slice(0, start).map(same), ...middle, ...a.slice(a.length - end).map(same)]
  return joinPieces(all)
}

const wordsOf = (text: string): readonly string[] => text.match(/\s+|[^\s]+/g) ?? []
const same = (text: string): DiffPiece => ({ kind: 'same', text })
const removed = (text: string): DiffPiece => ({ kind: 'removed', text })
const added = (text: string): DiffPiece => ({ kind: 'added', text })

/** By the longest common subsequence. */
function diffWords(a: readonly string[], b: readonly string[]): readonly DiffPiece[] {
  if (a.length * b.length > mostSteps) return [...a.map(removed), ...b.map(added)]
  const width = b.length + 1
  // lengths of the longest common subsequences of what follows each pair of places
  const lengths = new Uint32Array((a.length + 1) * width)
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      lengths[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const pieces: DiffPiece[] = []
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      pieces.push(same(a[i] ?? ''))
      i += 1
      j += 1
    } else if (j >= b.length || (i < a.length && at(i + 1, j) >= at(i, j + 1)))
      pieces.push(removed(a[i++] ?? ''))
    else pieces.push(added(b[j++] ?? ''))
  }
  return pieces
}

/** A word between two changes is read as a part of them, unless it is longer than that. */
const shortWord = 5

/** Joins neighbors of one kind. Removed words stand before those that replace them. */
function joinPieces(pieces: readonly DiffPiece[]): readonly DiffPiece[] {
  const joined: DiffPiece[] = []
  let change = { removed: '', added: '' }
  const endChange = () => {
    if (change.removed !== '') joined.push(removed(change.removed))
    if (change.added !== '') joined.push(added(change.added))
    change = { removed: '', added: '' }
  }
  const parts = joinSame(pieces)
  for (const [index, { kind, text }] of parts.entries()) {
    const isBetween = index < parts.length - 1 && change.removed + change.added !== ''
    const isPart = kind === 'same' && isBetween && text.trim().length < shortWord && !text.includes('\n\n')
    if (kind === 'removed' || isPart) change.removed += text
    if (kind === 'added' || isPart) change.added += text
    if (kind === 'same' && !isPart) {
      endChange()
      joined.push(same(text))
    }
  }
  endChange()
  return joined
}

function joinSame(pieces: readonly DiffPiece[]): readonly DiffPiece[] {
  const joined: DiffPiece[] = []
  for (const piece of pieces) {
    const last = joined.at(-1)
    if (last?.kind === 'same' && piece.kind === 'same')
      joined[joined.length - 1] = same(last.text + piece.text)
    else joined.push(piece)
  }
  return joined
}
