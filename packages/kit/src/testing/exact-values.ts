/** Texts that a database with a collation of its own takes for one: by case, by a space at the end, by how é is written. */
export const confusableStrings: readonly string[] = [
  'Ann \u00e9',
  'ann \u00e9',
  'Ann \u00e9 ',
  'Ann e\u0301',
  'Ann e',
]

/** JSON that columns with a type of their own, or tidy libraries, do not give back as it was. */
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
