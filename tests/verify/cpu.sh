# The quick verification problems of all rooms.
"$INGOT" verify --quick --backend cpu
