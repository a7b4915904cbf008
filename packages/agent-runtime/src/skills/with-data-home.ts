import type { DataHome } from '../runtime/data-home.ts'
import type { SkillLibrary } from './skill-library.ts'

/** The same library, whose first change makes the data home. */
export function withDataHome(library: SkillLibrary, home: Pick<DataHome, 'prepare'>): SkillLibrary {
  const prepared =
    <Given extends unknown[], T>(change: (...given: Given) => Promise<T>) =>
    async (...given: Given): Promise<T> => {
      home.prepare()
      return change(...given)
    }
  return {
    ...library,
    install: prepared(library.install),
    installSystem: prepared(library.installSystem),
    uploadZip: prepared(library.uploadZip),
    uploadMarkdown: prepared(library.uploadMarkdown),
  }
}
