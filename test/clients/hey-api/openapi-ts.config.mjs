export default {
  input: '../openapi.json',
  // The program runs by Node.js itself, which needs the names of files in imports.
  output: { path: 'bursar', module: { extension: '.ts' } },
  plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
}
