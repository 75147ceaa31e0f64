import path from 'node:path';

// n8n's engine logs every failing node; the tests check what it returns.
process.env.N8N_LOG_LEVEL = 'silent';
// It also keeps settings, which would be those of the user's own n8n.
process.env.N8N_USER_FOLDER = path.resolve('node_modules', '.cache', 'n8n', process.env.JEST_WORKER_ID ?? '');
