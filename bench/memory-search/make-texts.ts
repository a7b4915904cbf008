/** A text that is kept, and a question that it answers. */
interface Corpus {
  readonly texts: readonly string[]
  /** Questions as people ask them, each with the number of the text that answers it. */
  readonly questions: readonly { readonly text: string; readonly answer: number }[]
}

// The commonest words of English, the commonest first: they are in nearly every text and in every question.
const common =
  'the of and to a in that is was for it with as his on be at by had not are but from or have an they which one you were all her she there would their we him been has when who will no more if out so up said what its about than into them can only other time new some could these two may first then do any like my now over such our man me even most made after also did many off before must well back through years where much your way down should because long each just state people too mr little good world make very year still see own work men day get here between both life being under three never know same last another while us might great old'.split(
    ' ',
  )
const questionForms = [
  (words: string) => `What did I say about the ${words}?`,
  (words: string) => `Do you remember when we were talking about ${words} with the others?`,
  (words: string) => `Which of them was it that had the ${words}, and what should I do now?`,
  (words: string) => `Is there any of the ${words} that we have to do before the end of the year?`,
]

/** Texts of 8 to 40 words whose frequencies are those of real ones (Zipf), and questions about some of them. */
export function makeCorpus(texts: number, questions: number): Corpus {
  const random = createRandom(20_261_121)
  const rare = Array.from({ length: 30_000 }, () => makeWord(random))
  const drawRare = createZipf(rare, random)
  const drawCommon = createZipf(common, random)
  const all = Array.from({ length: texts }, () => {
    const length = 8 + Math.floor(random() * 33)
    return Array.from({ length }, () => (random() < 0.55 ? drawCommon() : drawRare()))
  })
  const known = new Set(common)
  return {
    texts: all.map((words) => words.join(' ')),
    questions: Array.from({ length: questions }, (_, index) => {
      const answer = Math.floor(random() * texts)
      const telling = [...new Set(all[answer]?.filter((word) => !known.has(word)))]
      const count = 2 + Math.floor(random() * 3)
      const chosen = telling.toSorted(() => random() - 0.5).slice(0, count)
      return { text: questionForms[index % questionForms.length]!(chosen.join(' and the ')), answer }
    }),
  }
}

/** Draws words by Zipf's law. */
function createZipf(words: readonly string[], random: () => number): () => string {
  let sum = 0
  const sums = words.map((_, rank) => (sum += 1 / (rank + 2.7)))
  return () => {
    const wanted = random() * sum
    let low = 0
    let high = sums.length - 1
    while (low < high) {
      const middle = (low + high) >>> 1
      if (sums[middle]! < wanted) low = middle + 1
      else high = middle
    }
    return words[low]!
  }
}

const syllables =
  'ba co de fi gu ha je ki lo mu ne pa ri so ta vu we xi yo za bra cle dro fli gro pla ster tri'.split(' ')

function makeWord(random: () => number): string {
  const count = 2 + Math.floor(random() * 3)
  return Array.from({ length: count }, () => syllables[Math.floor(random() * syllables.length)]).join('')
}

/** The same numbers in every process (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
