export { createCutProxy } from '../../../../../../tests/postgres/cut-proxy.ts'
