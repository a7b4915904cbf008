/**
 * Strings that a database with its own collation may treat as equal: different case, a trailing space, two forms of
 * é.
 */
export const confusableStrings: readonly string[] = [
  'Ann \u00e9',
  'ann \u00e9',
  'Ann \u00e9 ',
  'Ann e\u0301',
  'Ann e',
]

/** JSON that columns with a type of their own, or normalizing libraries, do not return unchanged. */
export const edgeCaseJson = {
  empty: '',
  spaces: ' a \n',
  accents: 'e\u0301 \u00e9',
  zero: 0,
  no: false,
  fraction: 0.1,
  large: Number.MAX_SAFE_INTEGER,
  nested: { list: [[], {}, null] },
}
