import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const folder = import.meta.dirname

/**
 * One application, served by both ports. Everything is a file of the same origin: the servers' content security policy lets
 * nothing inline run, and nothing from elsewhere load.
 */
export default defineConfig({
  root: folder,
  base: '/',
  plugins: [react()],
  // The contract's source, not its build: the dashboard needs no other step before its own.
  resolve: { conditions: ['@homeward/source', 'module', 'browser', 'development|production'] },
  build: {
    target: 'es2023',
    // A data: URL would be one more thing for the policy to allow.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: { input: `${folder}/index.html` },
  },
})
