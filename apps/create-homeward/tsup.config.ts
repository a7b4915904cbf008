import { programBuild } from '../../scripts/program-build.ts'

export default programBuild(import.meta.dirname)
