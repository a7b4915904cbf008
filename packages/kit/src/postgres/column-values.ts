import pg, { type CustomTypesConfig } from 'pg'
import { toText } from '../sql/plan.ts'

const oids = { boolean: 16, bigint: 20, text: 25 }

/** Reads columns as the shared plans expect them: whole numbers as numbers, a truth value as 1 or 0. */
export const columnValues: CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === oids.text) return toText
    if (oid === oids.bigint) return Number
    if (oid === oids.boolean) return (value: string) => (value === 't' ? 1 : 0)
    // oxlint-disable-next-line typescript/no-unsafe-return, import/no-named-as-default-member -- parsers give any; pg before 8.15 has no named exports
    return pg.types.getTypeParser(oid, format === 'binary' ? 'binary' : 'text')
  },
}
