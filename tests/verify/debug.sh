# The same where device memory is not host memory: a forgotten copy shows.
"$INGOT" verify --quick --backend debug
