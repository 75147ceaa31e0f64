// n8n's engine logs every failing node; the tests check what it returns.
process.env.N8N_LOG_LEVEL = 'silent';
