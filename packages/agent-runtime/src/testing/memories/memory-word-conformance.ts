import type { MemoryStore } from '../../store/ports/memory-store.ts'
import type { StoreHarness } from '../conformance-case.ts'
import { type ConformanceCase, expectSame, expectTrue } from '@homeward/kit/testing'
import { storeCase } from '../conformance-case.ts'
import { at, memoryOf, oddText } from '../conformance-fixtures.ts'
import { find, search, write } from './memory-conformance-store.ts'

/** Promises about how words find memories, part of `memoryStoreConformance`. */
export const memoryWordCases: readonly ConformanceCase<StoreHarness<MemoryStore>>[] = [
  storeCase('A11: gives a memory back as it was, with a score', async (store) => {
    const full = { userId: 'u1', tags: ['one', oddText], trust: 'untrusted', expiresAt: at(100) } as const
    const memory = memoryOf('m1', `The kettle, ${oddText}`, full)
    await store.writeMemory(memory)
    const [found, ...rest] = await search(store, 'kettle')
    expectSame(found?.memory, memory, 'the memory')
    expectTrue((found?.score ?? 0) > 0, 'that the score is positive')
    expectSame(rest, [], 'the rest')
    expectSame(await find(store, 'teapot'), [], 'what another word finds')
  }),
  storeCase('A11: every word of a question counts and none has to be there', async (store) => {
    await write(store, {
      cat: 'Ann has a cat that sleeps all day.',
      dog: 'Bob has a dog.',
      both: 'The cat and the dog of Cleo get along.',
      none: 'It rained on Monday',
    })
    const found = await find(store, 'Who has a cat and a dog?')
    expectSame(found.toSorted(), ['both', 'cat', 'dog'], 'what was found')
    expectSame(
      await find(store, 'Is there a cat, a dog along with Cleo?', { limit: 1 }),
      ['both'],
      'the best one',
    )
  }),
  storeCase(
    'A11: a rare word weighs more than a common one, and a short text more than a long one',
    async (store) => {
      for (let index = 0; index < 12; index += 1) {
        await store.writeMemory(memoryOf(`t${index}`, `meeting number ${index} about budgets`))
      }
      await write(store, { rare: 'the zebra was late', long: `zebra ${'and so on '.repeat(20)}` })
      const matches = await search(store, 'meeting with a zebra', { limit: 50 })
      expectSame(
        matches.slice(0, 2).map(({ memory }) => memory.id),
        ['rare', 'long'],
        'the best ones',
      )
      expectSame(matches.length, 14, 'how many were found')
      const scores = matches.map(({ score }) => score)
      expectSame(
        scores,
        scores.toSorted((a, b) => b - a),
        'that scores fall',
      )
    },
  ),
  storeCase('A11: finds words whatever their case, accents and width', async (store) => {
    await write(store, { cafe: 'CAFÉ in Zürich', strasse: 'ΟΔΟΣ 12', wide: 'Ｗｉｄｅ text' })
    expectSame(await find(store, 'cafe'), ['cafe'], 'a word without its accent')
    expectSame(await find(store, 'zu\u0308rich'), ['cafe'], 'a word with its accent apart')
    expectSame(await find(store, 'οδος'), ['strasse'], 'a Greek word in small letters')
    expectSame(await find(store, 'wide'), ['wide'], 'a word of wide letters')
    expectSame(await find(store, 'caf'), [], 'the beginning of a word')
  }),
  storeCase('A11: finds words with or without their vowel points, and emoji', async (store) => {
    await write(store, {
      he: 'שָׁלוֹם לָכֶם',
      ar: 'هَذَا كِتَاب',
      party: 'cake🎂 and ☀️',
      food: 'I ❤️ 🍕',
      trip: 'to 🇯🇵🇰🇷',
    })
    const expected = {
      שלום: 'he',
      שָׁלוֹם: 'he',
      كتاب: 'ar',
      '🎂': 'party',
      '☀️': 'party',
      '🍕': 'food',
      '❤': 'food',
      '🇯🇵': 'trip',
      '🇰🇷': 'trip',
    }
    for (const [text, id] of Object.entries(expected))
      expectSame(await find(store, text), [id], `what ${text} finds`)
    expectSame(await find(store, '🇯🇴'), [], 'what another flag finds')
  }),
  storeCase('A11: finds Chinese, Japanese, Korean and Thai words inside a text', async (store) => {
    await write(store, {
      zh: '我的猫喜欢在北京喝茶。',
      ja: '東京タワーの近くに住んでいます',
      ko: '서울에서 고양이를 키워요',
      th: 'ฉันชอบกาแฟเย็น',
      mixed: 'my iPhone手机 is broken',
    })
    const expected = {
      北京: 'zh',
      喜欢在: 'zh',
      猫: 'zh',
      '我在北京喝茶吗？': 'zh',
      タワー: 'ja',
      東京タワー: 'ja',
      고양이: 'ko',
      กาแฟ: 'th',
      手机: 'mixed',
      iphone: 'mixed',
    }
    for (const [text, id] of Object.entries(expected))
      expectSame((await find(store, text))[0], id, `what ${text} finds`)
    expectSame(await find(store, '大阪'), [], 'a word that is nowhere')
  }),
  storeCase('A11: takes a question as words, whatever it holds', async (store) => {
    await write(store, { m1: 'alpha beta', m2: 'gamma' })
    const hostile = [
      '"',
      "'",
      'a" OR "b',
      'text : alpha',
      'NOT',
      'alpha NOT beta',
      'NEAR(alpha beta)',
      '*',
      'alpha*',
    ]
    const more = [
      '^alpha',
      '(',
      ')',
      '-alpha',
      '{text} : x',
      'x\u0000y',
      '\ud800',
      '',
      '   ',
      '%',
      '; drop table',
      '\\',
    ]
    for (const text of [...hostile, ...more]) await search(store, text)
    expectSame(await find(store, '"alpha" AND (gamma) NOT beta*'), ['m1', 'm2'], 'what operators find')
    expectSame(
      await find(store, `${'noise '.repeat(2)}${'x'.repeat(5000)} gamma`),
      ['m2'],
      'a very long word',
    )
    expectSame(await find(store, ''), [], 'no words at all')
  }),
  storeCase('A11: finds a very long word by all of it', async (store) => {
    const long = 'a1'.repeat(300)
    await store.writeMemory(memoryOf('m1', `token ${long} end`))
    expectSame(await find(store, long), ['m1'], 'what it finds')
  }),
]
